package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.NodeMemoryContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxNodeMemoryContractTest extends NodeMemoryContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
