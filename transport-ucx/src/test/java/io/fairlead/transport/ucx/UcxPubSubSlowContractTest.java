package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.PubSubSlowContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxPubSubSlowContractTest extends PubSubSlowContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
