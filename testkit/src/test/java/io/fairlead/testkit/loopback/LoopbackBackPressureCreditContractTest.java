package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.BackPressureCreditContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackBackPressureCreditContractTest extends BackPressureCreditContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
