package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.PubSubLifecycleContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackPubSubLifecycleContractTest extends PubSubLifecycleContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
