package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.RemoteBoundsContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxRemoteBoundsContractTest extends RemoteBoundsContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
