package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.RemoteRegionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackRemoteRegionContractTest extends RemoteRegionContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
