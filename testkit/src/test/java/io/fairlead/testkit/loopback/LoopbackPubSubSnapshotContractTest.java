package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.PubSubSnapshotContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackPubSubSnapshotContractTest extends PubSubSnapshotContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
