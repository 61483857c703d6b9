package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.RemoteMemoryModelContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxRemoteMemoryModelContractTest extends RemoteMemoryModelContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
