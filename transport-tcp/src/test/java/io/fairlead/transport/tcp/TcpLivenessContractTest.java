package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.LivenessContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpLivenessContractTest extends LivenessContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
