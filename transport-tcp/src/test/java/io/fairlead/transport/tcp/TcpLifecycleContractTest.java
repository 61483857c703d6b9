package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.LifecycleContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpLifecycleContractTest extends LifecycleContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
