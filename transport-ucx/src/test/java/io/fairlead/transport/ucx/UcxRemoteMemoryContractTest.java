package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.RemoteMemoryContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxRemoteMemoryContractTest extends RemoteMemoryContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
