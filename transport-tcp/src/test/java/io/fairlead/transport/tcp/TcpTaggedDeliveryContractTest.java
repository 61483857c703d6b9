package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.TaggedDeliveryContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpTaggedDeliveryContractTest extends TaggedDeliveryContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
