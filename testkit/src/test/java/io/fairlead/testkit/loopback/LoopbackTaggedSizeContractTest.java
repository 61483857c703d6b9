package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.TaggedSizeContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackTaggedSizeContractTest extends TaggedSizeContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
