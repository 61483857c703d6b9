package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.RemoteBoundsContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpRemoteBoundsContractTest extends RemoteBoundsContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
