package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.RemoteBoundsContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackRemoteBoundsContractTest extends RemoteBoundsContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
