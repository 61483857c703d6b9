package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.TaggedArgumentContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpTaggedArgumentContractTest extends TaggedArgumentContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
