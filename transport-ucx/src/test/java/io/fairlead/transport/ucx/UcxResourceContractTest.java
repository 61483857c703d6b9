package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.ResourceContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxResourceContractTest extends ResourceContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
