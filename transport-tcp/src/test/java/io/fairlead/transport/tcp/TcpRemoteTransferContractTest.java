package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.RemoteTransferContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpRemoteTransferContractTest extends RemoteTransferContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
