package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.RemoteSignalContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackRemoteSignalContractTest extends RemoteSignalContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
