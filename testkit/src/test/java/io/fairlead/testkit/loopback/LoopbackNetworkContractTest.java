package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.NetworkContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackNetworkContractTest extends NetworkContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
