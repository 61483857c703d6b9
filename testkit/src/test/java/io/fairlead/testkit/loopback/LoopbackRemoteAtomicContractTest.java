package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.RemoteAtomicContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackRemoteAtomicContractTest extends RemoteAtomicContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
