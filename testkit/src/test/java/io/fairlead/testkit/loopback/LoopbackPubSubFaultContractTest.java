package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.PubSubFaultContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackPubSubFaultContractTest extends PubSubFaultContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
