package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.ProcessContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpProcessContractTest extends ProcessContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
