package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.RemoteMemoryContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackRemoteMemoryContractTest extends RemoteMemoryContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
