package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.TaggedDeliveryContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackTaggedDeliveryContractTest extends TaggedDeliveryContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
