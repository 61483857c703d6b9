package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.RemoteSignalContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpRemoteSignalContractTest extends RemoteSignalContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
