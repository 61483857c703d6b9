package io.fairlead.transport.shm;

import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.FaultRoundsContract;
import io.fairlead.testkit.contract.ProcessContract;
import org.junit.platform.suite.api.ConfigurationParameter;
import org.junit.platform.suite.api.IncludeEngines;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/** What of the contract has its peer in another process, for a run that puts these into namespaces as a container has them. */
@Suite
@IncludeEngines("junit-jupiter")
@SelectClasses({ProcessContract.class, FaultRoundsContract.class})
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.transport.shm.ShmUnderTest")
final class ShmContainersTest {}
