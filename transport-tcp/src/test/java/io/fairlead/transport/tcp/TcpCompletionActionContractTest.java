package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.CompletionActionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpCompletionActionContractTest extends CompletionActionContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
