package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.RemoteSignalContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxRemoteSignalContractTest extends RemoteSignalContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
