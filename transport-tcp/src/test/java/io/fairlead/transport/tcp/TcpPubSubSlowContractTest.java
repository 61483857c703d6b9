package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.PubSubSlowContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpPubSubSlowContractTest extends PubSubSlowContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
