package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.TaggedModelContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxTaggedModelContractTest extends TaggedModelContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
