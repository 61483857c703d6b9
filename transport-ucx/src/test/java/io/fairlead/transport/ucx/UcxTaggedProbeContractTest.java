package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.TaggedProbeContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxTaggedProbeContractTest extends TaggedProbeContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
