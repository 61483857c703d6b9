package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.PubSubContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpPubSubContractTest extends PubSubContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
