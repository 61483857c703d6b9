package io.fairlead.transport.shm;

import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.FaultRoundsContract;
import org.junit.platform.suite.api.ConfigurationParameter;
import org.junit.platform.suite.api.IncludeEngines;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/** What {@link ShmContainersTest} leaves to runs with {@code -Dfairlead.shm.containers.without=none}. */
@Suite
@IncludeEngines("junit-jupiter")
@SelectClasses(FaultRoundsContract.class)
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.transport.shm.ShmUnderTest")
final class ShmContainersMoreFaultsTest {}
