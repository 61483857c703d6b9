package io.fairlead.transport.tcp;

import io.fairlead.testkit.contract.ContractSuites;
import org.junit.platform.suite.api.ConfigurationParameter;

/** The contract over TCP. */
@ContractSuites
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.transport.tcp.TcpUnderTest")
final class TcpContractTest {}
