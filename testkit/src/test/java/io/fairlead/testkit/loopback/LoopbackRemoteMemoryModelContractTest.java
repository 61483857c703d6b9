package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.RemoteMemoryModelContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackRemoteMemoryModelContractTest extends RemoteMemoryModelContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
