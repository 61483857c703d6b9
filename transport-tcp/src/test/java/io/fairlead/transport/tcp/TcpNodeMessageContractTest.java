package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.NodeMessageContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpNodeMessageContractTest extends NodeMessageContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
