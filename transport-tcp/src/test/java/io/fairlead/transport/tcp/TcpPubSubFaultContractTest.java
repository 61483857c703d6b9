package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.PubSubFaultContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpPubSubFaultContractTest extends PubSubFaultContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
