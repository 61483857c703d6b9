package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.NodeFailureContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxNodeFailureContractTest extends NodeFailureContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
