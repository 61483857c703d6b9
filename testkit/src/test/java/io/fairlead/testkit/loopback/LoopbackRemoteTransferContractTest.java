package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.RemoteTransferContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackRemoteTransferContractTest extends RemoteTransferContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
