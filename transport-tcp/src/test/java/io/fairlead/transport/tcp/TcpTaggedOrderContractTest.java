package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.TaggedOrderContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpTaggedOrderContractTest extends TaggedOrderContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
