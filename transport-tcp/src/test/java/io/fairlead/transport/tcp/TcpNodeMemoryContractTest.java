package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.NodeMemoryContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpNodeMemoryContractTest extends NodeMemoryContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
