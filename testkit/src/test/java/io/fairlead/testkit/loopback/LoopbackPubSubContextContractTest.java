package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.PubSubContextContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackPubSubContextContractTest extends PubSubContextContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
