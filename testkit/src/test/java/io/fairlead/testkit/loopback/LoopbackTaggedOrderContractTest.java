package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.TaggedOrderContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackTaggedOrderContractTest extends TaggedOrderContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
