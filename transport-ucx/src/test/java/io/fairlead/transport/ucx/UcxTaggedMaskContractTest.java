package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.TaggedMaskContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxTaggedMaskContractTest extends TaggedMaskContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
