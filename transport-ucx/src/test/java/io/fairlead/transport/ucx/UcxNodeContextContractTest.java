package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.NodeContextContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxNodeContextContractTest extends NodeContextContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
