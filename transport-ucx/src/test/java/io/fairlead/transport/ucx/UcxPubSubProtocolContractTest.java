package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.PubSubProtocolContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxPubSubProtocolContractTest extends PubSubProtocolContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
