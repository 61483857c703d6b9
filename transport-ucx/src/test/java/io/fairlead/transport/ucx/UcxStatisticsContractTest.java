package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.StatisticsContract;
import io.fairlead.testkit.contract.TransportUnderTest;

class UcxStatisticsContractTest extends StatisticsContract {
    @Override
    protected TransportUnderTest transport() {
        return new UcxUnderTest();
    }
}
