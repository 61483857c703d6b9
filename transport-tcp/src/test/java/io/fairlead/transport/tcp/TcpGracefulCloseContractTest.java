package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.GracefulCloseContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpGracefulCloseContractTest extends GracefulCloseContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
