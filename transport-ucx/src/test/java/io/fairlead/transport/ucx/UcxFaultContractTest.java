package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.FaultContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxFaultContractTest extends FaultContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
