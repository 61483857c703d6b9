package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.BackPressureCounterContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpBackPressureCounterContractTest extends BackPressureCounterContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
