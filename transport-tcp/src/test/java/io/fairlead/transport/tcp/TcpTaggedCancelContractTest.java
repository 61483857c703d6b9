package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.TaggedCancelContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpTaggedCancelContractTest extends TaggedCancelContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
