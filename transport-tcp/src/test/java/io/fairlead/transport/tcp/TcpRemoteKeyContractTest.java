package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.RemoteKeyContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpRemoteKeyContractTest extends RemoteKeyContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
