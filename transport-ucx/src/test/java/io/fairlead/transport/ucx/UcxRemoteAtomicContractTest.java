package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.RemoteAtomicContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxRemoteAtomicContractTest extends RemoteAtomicContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
