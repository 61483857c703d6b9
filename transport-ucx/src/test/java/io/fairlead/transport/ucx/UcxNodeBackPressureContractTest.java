package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.NodeBackPressureContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxNodeBackPressureContractTest extends NodeBackPressureContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
