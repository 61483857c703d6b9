package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.ResourceContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackResourceContractTest extends ResourceContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
