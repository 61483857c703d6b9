package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.ImmediateCompletionContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpImmediateCompletionContractTest extends ImmediateCompletionContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
