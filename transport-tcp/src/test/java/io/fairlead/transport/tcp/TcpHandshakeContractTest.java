package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.HandshakeContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpHandshakeContractTest extends HandshakeContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
