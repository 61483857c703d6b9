package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.BackPressureCounterContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackBackPressureCounterContractTest extends BackPressureCounterContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
