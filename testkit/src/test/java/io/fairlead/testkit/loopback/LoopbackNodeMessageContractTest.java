package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.NodeMessageContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackNodeMessageContractTest extends NodeMessageContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
