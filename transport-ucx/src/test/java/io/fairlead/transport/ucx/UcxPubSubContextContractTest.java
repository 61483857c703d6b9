package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.PubSubContextContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxPubSubContextContractTest extends PubSubContextContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
