package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.NetworkContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxNetworkContractTest extends NetworkContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
