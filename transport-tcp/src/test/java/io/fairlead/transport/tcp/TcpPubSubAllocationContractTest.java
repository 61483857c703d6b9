package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.PubSubAllocationContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpPubSubAllocationContractTest extends PubSubAllocationContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
