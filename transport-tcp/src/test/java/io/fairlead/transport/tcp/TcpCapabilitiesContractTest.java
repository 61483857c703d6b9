package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.CapabilitiesContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpCapabilitiesContractTest extends CapabilitiesContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
