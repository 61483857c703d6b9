package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.ConnectionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxConnectionContractTest extends ConnectionContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
