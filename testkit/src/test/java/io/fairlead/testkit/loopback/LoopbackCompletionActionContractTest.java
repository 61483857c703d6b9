package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.CompletionActionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackCompletionActionContractTest extends CompletionActionContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
