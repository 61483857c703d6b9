package io.fairlead.testkit.layers;

import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.platform.suite.api.SelectPackages;

/**
 * Makes a test class run every suite about nodes and publish-subscribe over one transport. It is used as {@link ContractSuites} is, with the same
 * parameter, and both may name the same {@link TransportUnderTest}:
 *
 * {@snippet lang=java :
 * @LayerSuites
 * @ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "com.example.ExampleUnderTest")
 * class ExampleLayersTest {}
 * }
 *
 * <p>These suites use a transport through the worker API alone. One run over each transport is enough, without other lanes or TLS.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ContractSuites
@SelectPackages("io.fairlead.testkit.layers")
public @interface LayerSuites {}
