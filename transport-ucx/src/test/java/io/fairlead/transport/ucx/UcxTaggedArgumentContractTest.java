package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.TaggedArgumentContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxTaggedArgumentContractTest extends TaggedArgumentContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
