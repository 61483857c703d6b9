package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.TaggedCancelContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxTaggedCancelContractTest extends TaggedCancelContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
