package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.TaggedProbeContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpTaggedProbeContractTest extends TaggedProbeContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
