package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.CompletionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpCompletionContractTest extends CompletionContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
