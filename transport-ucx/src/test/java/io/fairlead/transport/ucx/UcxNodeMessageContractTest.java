package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.NodeMessageContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxNodeMessageContractTest extends NodeMessageContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
