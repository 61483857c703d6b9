package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.NodeCloseContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxNodeCloseContractTest extends NodeCloseContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
