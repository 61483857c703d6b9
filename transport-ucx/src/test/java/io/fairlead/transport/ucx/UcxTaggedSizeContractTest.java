package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.TaggedSizeContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxTaggedSizeContractTest extends TaggedSizeContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
