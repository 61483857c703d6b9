package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.BackPressureOperationContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpBackPressureOperationContractTest extends BackPressureOperationContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
