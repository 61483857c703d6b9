package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.CompletionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxCompletionContractTest extends CompletionContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
