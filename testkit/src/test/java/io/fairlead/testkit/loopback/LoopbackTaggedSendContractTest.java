package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.TaggedSendContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackTaggedSendContractTest extends TaggedSendContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
