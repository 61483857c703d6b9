package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.PubSubContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackPubSubContractTest extends PubSubContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
