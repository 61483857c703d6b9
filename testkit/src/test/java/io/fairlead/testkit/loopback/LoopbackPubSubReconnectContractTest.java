package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.PubSubReconnectContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackPubSubReconnectContractTest extends PubSubReconnectContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
