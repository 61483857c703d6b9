package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.PubSubContextContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpPubSubContextContractTest extends PubSubContextContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
