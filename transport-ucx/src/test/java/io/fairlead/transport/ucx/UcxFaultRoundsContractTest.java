package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.FaultRoundsContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxFaultRoundsContractTest extends FaultRoundsContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
