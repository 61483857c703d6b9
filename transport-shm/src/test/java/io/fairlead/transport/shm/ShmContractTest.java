package io.fairlead.transport.shm;

import io.fairlead.testkit.contract.ContractSuites;
import org.junit.platform.suite.api.ConfigurationParameter;

/** The contract over shared memory. */
@ContractSuites
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.transport.shm.ShmUnderTest")
final class ShmContractTest {}
