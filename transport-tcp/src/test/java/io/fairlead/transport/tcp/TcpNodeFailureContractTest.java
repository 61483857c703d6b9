package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.NodeFailureContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpNodeFailureContractTest extends NodeFailureContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
