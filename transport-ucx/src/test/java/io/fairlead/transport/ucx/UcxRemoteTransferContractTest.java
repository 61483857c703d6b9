package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.RemoteTransferContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxRemoteTransferContractTest extends RemoteTransferContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
