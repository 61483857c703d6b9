package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.ImmediateCompletionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackImmediateCompletionContractTest extends ImmediateCompletionContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
