package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.RemoteMemoryContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpRemoteMemoryContractTest extends RemoteMemoryContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
