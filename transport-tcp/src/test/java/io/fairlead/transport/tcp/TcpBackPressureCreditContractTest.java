package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.BackPressureCreditContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpBackPressureCreditContractTest extends BackPressureCreditContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
