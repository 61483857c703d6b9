package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.TaggedCancelContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackTaggedCancelContractTest extends TaggedCancelContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
