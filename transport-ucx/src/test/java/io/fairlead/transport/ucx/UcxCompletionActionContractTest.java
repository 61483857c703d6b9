package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.CompletionActionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxCompletionActionContractTest extends CompletionActionContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
