package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.TaggedMaskContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackTaggedMaskContractTest extends TaggedMaskContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
