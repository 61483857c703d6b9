package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.PubSubFaultContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxPubSubFaultContractTest extends PubSubFaultContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
