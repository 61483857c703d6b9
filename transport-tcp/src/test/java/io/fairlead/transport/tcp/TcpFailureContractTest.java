package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.FailureContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpFailureContractTest extends FailureContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
