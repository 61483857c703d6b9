package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.NodeFailureContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackNodeFailureContractTest extends NodeFailureContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
