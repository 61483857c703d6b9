package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.PubSubReconnectContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxPubSubReconnectContractTest extends PubSubReconnectContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
