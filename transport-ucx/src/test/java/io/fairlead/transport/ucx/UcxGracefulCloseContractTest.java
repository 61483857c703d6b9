package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.GracefulCloseContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxGracefulCloseContractTest extends GracefulCloseContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
