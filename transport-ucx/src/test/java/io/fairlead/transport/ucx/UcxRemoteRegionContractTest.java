package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.RemoteRegionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxRemoteRegionContractTest extends RemoteRegionContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
