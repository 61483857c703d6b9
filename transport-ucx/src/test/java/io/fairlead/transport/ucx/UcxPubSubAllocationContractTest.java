package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.PubSubAllocationContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxPubSubAllocationContractTest extends PubSubAllocationContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
