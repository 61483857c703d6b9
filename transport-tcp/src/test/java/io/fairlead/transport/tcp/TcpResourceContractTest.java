package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.ResourceContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpResourceContractTest extends ResourceContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
