package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.FailureContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxFailureContractTest extends FailureContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
