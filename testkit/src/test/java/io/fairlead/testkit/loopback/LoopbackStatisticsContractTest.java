package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.StatisticsContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class LoopbackStatisticsContractTest extends StatisticsContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }
}
