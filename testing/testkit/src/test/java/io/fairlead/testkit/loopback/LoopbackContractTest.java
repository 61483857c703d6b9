package io.fairlead.testkit.loopback;

import io.fairlead.testkit.contract.ContractSuites;
import org.junit.platform.suite.api.ConfigurationParameter;

/** The contract within one process. */
@ContractSuites
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.testkit.loopback.LoopbackUnderTest")
final class LoopbackContractTest {}
