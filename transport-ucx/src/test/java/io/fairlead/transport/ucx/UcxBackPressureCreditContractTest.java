package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.BackPressureCreditContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxBackPressureCreditContractTest extends BackPressureCreditContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
