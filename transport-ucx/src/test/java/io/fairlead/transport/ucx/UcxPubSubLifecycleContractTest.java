package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.PubSubLifecycleContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxPubSubLifecycleContractTest extends PubSubLifecycleContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
