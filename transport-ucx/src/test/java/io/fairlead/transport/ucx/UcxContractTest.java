package io.fairlead.transport.ucx;

import io.fairlead.testkit.contract.ContractSuites;
import org.junit.platform.suite.api.ConfigurationParameter;

/** The contract over UCX, by the lanes that the build names. */
@ContractSuites
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.transport.ucx.UcxUnderTest")
final class UcxContractTest {}
