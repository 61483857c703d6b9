package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.CompletionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackCompletionContractTest extends CompletionContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
