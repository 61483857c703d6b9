package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.NodeCloseContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackNodeCloseContractTest extends NodeCloseContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
