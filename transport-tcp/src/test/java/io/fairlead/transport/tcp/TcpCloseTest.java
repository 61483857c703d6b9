package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.GracefulCloseContract;
import io.fairlead.testkit.contract.TransportUnderTest;

/** With little room at the receiver, most of a message is still with the sender's kernel when it closes. */
class TcpCloseTest extends GracefulCloseContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest(config -> config.with(TcpProvider.RECEIVE_BUFFER, 64 << 10));
    }
}
