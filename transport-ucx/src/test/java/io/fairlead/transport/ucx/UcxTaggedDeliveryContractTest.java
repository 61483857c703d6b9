package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.TaggedDeliveryContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxTaggedDeliveryContractTest extends TaggedDeliveryContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
