package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.HandshakeContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxHandshakeContractTest extends HandshakeContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
