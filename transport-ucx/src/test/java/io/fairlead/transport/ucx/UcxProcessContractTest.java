package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.ProcessContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxProcessContractTest extends ProcessContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
