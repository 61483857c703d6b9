package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.TaggedTruncationContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackTaggedTruncationContractTest extends TaggedTruncationContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
