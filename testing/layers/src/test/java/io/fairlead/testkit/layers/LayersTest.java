package io.fairlead.testkit.layers;

import io.fairlead.testkit.contract.ContractSuites;
import org.junit.platform.suite.api.ConfigurationParameter;

/** The layers over the transport that a run names. */
@LayerSuites
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.testkit.layers.NamedUnderTest")
final class LayersTest {}
