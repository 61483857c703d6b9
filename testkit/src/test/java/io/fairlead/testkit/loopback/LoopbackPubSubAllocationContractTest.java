package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.PubSubAllocationContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackPubSubAllocationContractTest extends PubSubAllocationContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
