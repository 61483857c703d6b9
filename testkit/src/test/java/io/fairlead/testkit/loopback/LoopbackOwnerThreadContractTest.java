package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.OwnerThreadContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackOwnerThreadContractTest extends OwnerThreadContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
