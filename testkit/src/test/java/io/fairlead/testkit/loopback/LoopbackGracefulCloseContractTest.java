package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.GracefulCloseContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackGracefulCloseContractTest extends GracefulCloseContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
