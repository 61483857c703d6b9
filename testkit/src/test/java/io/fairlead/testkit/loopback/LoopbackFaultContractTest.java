package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.FaultContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackFaultContractTest extends FaultContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
