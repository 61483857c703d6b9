package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.TaggedProbeContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackTaggedProbeContractTest extends TaggedProbeContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
