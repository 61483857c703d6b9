package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.PubSubReconnectContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpPubSubReconnectContractTest extends PubSubReconnectContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
