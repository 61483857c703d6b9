package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.RemoteRegionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpRemoteRegionContractTest extends RemoteRegionContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
