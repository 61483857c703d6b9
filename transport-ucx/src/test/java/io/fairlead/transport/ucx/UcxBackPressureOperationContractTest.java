package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.BackPressureOperationContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxBackPressureOperationContractTest extends BackPressureOperationContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
