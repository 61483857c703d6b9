package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.NodeMemoryContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackNodeMemoryContractTest extends NodeMemoryContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
