package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.NodeCloseContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpNodeCloseContractTest extends NodeCloseContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
