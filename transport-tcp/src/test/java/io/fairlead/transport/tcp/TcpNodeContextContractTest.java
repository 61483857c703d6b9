package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.NodeContextContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpNodeContextContractTest extends NodeContextContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
