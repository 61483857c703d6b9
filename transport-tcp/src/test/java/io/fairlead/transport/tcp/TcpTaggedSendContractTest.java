package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.TaggedSendContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpTaggedSendContractTest extends TaggedSendContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
