package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.TaggedTruncationContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxTaggedTruncationContractTest extends TaggedTruncationContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
