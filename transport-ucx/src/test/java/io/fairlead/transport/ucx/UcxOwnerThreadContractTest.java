package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.OwnerThreadContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxOwnerThreadContractTest extends OwnerThreadContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
