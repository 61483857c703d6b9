package io.fairlead.transport.shm;

import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.ProcessContract;
import org.junit.platform.suite.api.ConfigurationParameter;
import org.junit.platform.suite.api.IncludeEngines;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/**
 * What of the contract has a program as its peer, for a run that puts it into namespaces as a container has them. {@link ShmContainersMoreFaultsTest}
 * has what takes longer.
 */
@Suite
@IncludeEngines("junit-jupiter")
@SelectClasses(ProcessContract.class)
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.transport.shm.ShmUnderTest")
final class ShmContainersTest {}
