package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.ImmediateCompletionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxImmediateCompletionContractTest extends ImmediateCompletionContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
