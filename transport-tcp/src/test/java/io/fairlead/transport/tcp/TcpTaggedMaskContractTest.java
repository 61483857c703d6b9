package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.TaggedMaskContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpTaggedMaskContractTest extends TaggedMaskContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
