package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.BackPressureCounterContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxBackPressureCounterContractTest extends BackPressureCounterContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
