package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.PubSubSlowContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackPubSubSlowContractTest extends PubSubSlowContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
