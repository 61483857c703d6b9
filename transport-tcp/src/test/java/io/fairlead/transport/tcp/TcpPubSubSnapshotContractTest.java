package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.PubSubSnapshotContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpPubSubSnapshotContractTest extends PubSubSnapshotContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
