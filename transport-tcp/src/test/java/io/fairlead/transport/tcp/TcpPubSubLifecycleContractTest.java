package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.PubSubLifecycleContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpPubSubLifecycleContractTest extends PubSubLifecycleContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
