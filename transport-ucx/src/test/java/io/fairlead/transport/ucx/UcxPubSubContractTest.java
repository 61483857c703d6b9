package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.PubSubContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxPubSubContractTest extends PubSubContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
