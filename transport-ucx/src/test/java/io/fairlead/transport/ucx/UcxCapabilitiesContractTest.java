package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.CapabilitiesContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxCapabilitiesContractTest extends CapabilitiesContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
