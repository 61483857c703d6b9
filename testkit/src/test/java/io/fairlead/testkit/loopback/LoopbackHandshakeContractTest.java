package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.HandshakeContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackHandshakeContractTest extends HandshakeContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
