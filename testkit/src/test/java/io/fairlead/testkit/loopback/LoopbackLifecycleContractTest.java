package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.LifecycleContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackLifecycleContractTest extends LifecycleContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
