package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.CapabilitiesContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackCapabilitiesContractTest extends CapabilitiesContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
