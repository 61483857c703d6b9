package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.FaultContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpFaultContractTest extends FaultContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
