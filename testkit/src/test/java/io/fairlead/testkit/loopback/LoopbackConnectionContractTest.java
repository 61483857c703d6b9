package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.ConnectionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackConnectionContractTest extends ConnectionContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
