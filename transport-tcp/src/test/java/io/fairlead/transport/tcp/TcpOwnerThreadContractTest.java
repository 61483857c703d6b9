package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.OwnerThreadContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpOwnerThreadContractTest extends OwnerThreadContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
