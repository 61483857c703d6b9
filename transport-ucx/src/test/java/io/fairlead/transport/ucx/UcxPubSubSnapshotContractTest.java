package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.PubSubSnapshotContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxPubSubSnapshotContractTest extends PubSubSnapshotContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
