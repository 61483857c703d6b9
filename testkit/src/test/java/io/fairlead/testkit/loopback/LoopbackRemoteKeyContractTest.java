package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.RemoteKeyContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackRemoteKeyContractTest extends RemoteKeyContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
