package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.TaggedModelContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackTaggedModelContractTest extends TaggedModelContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
