package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.NodeContextContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackNodeContextContractTest extends NodeContextContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
