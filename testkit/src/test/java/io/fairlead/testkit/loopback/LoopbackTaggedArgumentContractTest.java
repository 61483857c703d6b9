package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.TaggedArgumentContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackTaggedArgumentContractTest extends TaggedArgumentContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
