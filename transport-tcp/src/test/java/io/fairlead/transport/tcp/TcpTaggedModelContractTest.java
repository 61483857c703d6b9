package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.TaggedModelContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpTaggedModelContractTest extends TaggedModelContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
