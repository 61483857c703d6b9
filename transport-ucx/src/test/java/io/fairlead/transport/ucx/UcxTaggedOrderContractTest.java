package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.TaggedOrderContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxTaggedOrderContractTest extends TaggedOrderContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
