package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.RemoteAtomicContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpRemoteAtomicContractTest extends RemoteAtomicContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
