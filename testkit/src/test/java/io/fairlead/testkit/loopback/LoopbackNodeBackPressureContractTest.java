package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.NodeBackPressureContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackNodeBackPressureContractTest extends NodeBackPressureContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
