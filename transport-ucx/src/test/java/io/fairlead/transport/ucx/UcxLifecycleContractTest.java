package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.LifecycleContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxLifecycleContractTest extends LifecycleContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
