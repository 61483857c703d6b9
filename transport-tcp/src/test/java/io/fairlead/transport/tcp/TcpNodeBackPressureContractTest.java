package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.NodeBackPressureContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpNodeBackPressureContractTest extends NodeBackPressureContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
