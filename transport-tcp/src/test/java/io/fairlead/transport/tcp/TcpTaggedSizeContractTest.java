package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.TaggedSizeContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpTaggedSizeContractTest extends TaggedSizeContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
