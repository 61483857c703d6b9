package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.LivenessContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxLivenessContractTest extends LivenessContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
