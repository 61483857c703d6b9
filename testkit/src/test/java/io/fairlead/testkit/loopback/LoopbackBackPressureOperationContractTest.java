package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.BackPressureOperationContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackBackPressureOperationContractTest extends BackPressureOperationContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
