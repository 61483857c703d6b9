package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.PubSubProtocolContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpPubSubProtocolContractTest extends PubSubProtocolContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
