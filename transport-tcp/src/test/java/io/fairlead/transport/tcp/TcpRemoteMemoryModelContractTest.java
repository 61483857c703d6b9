package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.RemoteMemoryModelContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpRemoteMemoryModelContractTest extends RemoteMemoryModelContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
