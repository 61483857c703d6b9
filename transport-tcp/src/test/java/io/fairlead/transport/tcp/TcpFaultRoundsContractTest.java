package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.FaultRoundsContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpFaultRoundsContractTest extends FaultRoundsContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
