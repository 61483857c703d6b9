package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.NetworkContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpNetworkContractTest extends NetworkContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
