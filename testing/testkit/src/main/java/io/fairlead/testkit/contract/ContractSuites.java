package io.fairlead.testkit.contract;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.platform.suite.api.ConfigurationParameter;
import org.junit.platform.suite.api.IncludeClassNamePatterns;
import org.junit.platform.suite.api.IncludeEngines;
import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/**
 * Makes a test class run every contract suite over one transport. The class has no members; it names its {@link TransportUnderTest} by
 * the configuration parameter {@value #TRANSPORT}:
 *
 * {@snippet lang=java :
 * @ContractSuites
 * @ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "com.example.ExampleUnderTest")
 * class ExampleContractTest {}
 * }
 *
 * <p>JUnit finds the suites in this package, so that a suite which is added runs over each transport. {@link TransportUnderTest#leftOut()} names the
 * suites and cases that a transport leaves out. Reports are named after the suites: run two such classes with different folders or suffixes for
 * their reports.
 *
 * <p>The class runs on JUnit's suite engine, which the testkit brings along.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Suite
@IncludeEngines("junit-jupiter")
@SelectPackages("io.fairlead.testkit.contract")
@IncludeClassNamePatterns(".*Contract")
// Otherwise the order is that of a folder's files, which each file system has its own of.
@ConfigurationParameter(
        key = "junit.jupiter.testclass.order.default",
        value = "org.junit.jupiter.api.ClassOrderer$ClassName")
public @interface ContractSuites {
    /** The configuration parameter that names the class of the {@link TransportUnderTest}, which has a constructor without parameters. */
    String TRANSPORT = "fairlead.contract.transport";
}
