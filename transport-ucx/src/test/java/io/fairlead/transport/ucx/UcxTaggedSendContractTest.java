package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.TaggedSendContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxTaggedSendContractTest extends TaggedSendContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
