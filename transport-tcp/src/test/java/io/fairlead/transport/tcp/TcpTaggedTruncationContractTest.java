package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.TaggedTruncationContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpTaggedTruncationContractTest extends TaggedTruncationContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
