package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.FailureContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackFailureContractTest extends FailureContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
