package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.ConnectionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpConnectionContractTest extends ConnectionContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
