package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.LivenessContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackLivenessContractTest extends LivenessContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
