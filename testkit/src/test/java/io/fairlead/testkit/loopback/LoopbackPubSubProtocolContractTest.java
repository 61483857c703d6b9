package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.PubSubProtocolContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackPubSubProtocolContractTest extends PubSubProtocolContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
