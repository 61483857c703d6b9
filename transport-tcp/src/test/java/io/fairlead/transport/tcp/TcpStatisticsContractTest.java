package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.StatisticsContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class TcpStatisticsContractTest extends StatisticsContract {
    @Override
    protected TransportUnderTest transport() {
        return new TcpUnderTest();
    }
}
