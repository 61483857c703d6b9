package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.RemoteKeyContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxRemoteKeyContractTest extends RemoteKeyContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
