package io.fairlead.testkit.contract;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Describes the transport on which the contract suites run. A test class with {@link ContractSuites} names an implementation and runs all
 * suites. A class that extends one suite returns an instance from {@link TransportContract#transport()}.
 */
public interface TransportUnderTest {
    /**
     * The transport's provider. The suites open contexts with this provider alone, in some cases with faults around it.
     *
     * @return the provider
     */
    TransportProvider provider();

    /**
     * The transport's name.
     *
     * @return the name of the provider
     */
    default String name() {
        return provider().name();
    }

    /**
     * The capabilities that the transport must declare. A capability that goes missing thus fails a case, instead of skipping others.
     *
     * @return the expected capabilities
     */
    Set<Capability> capabilities();

    /**
     * The kind of path that two contexts of this process must take over the transport.
     *
     * @return the expected kind
     */
    PathClass pathClass();

    /**
     * Adds values that the transport needs to a configuration.
     *
     * @param base the suite's configuration, which already names the transport
     * @return the configuration to open contexts with
     */
    default FairleadConfig configure(FairleadConfig base) {
        return base;
    }

    /**
     * The options of a child process in which the transport is to be available; the class path is that of this process.
     *
     * @return options of the {@code java} command
     */
    default List<String> jvmOptions() {
        return List.of();
    }

    /**
     * The maximum number of objects of an idle endpoint, of classes in packages of {@code io.fairlead}. The classes of the suites do not count.
     *
     * @return a number on connections without TLS, unless a transport's own tests hold it to less
     */
    default int endpointPartsMax() {
        return 48;
    }

    /**
     * The suites and cases that make no sense for the transport. They are left out before the run, and not counted as skipped.
     *
     * @return the reason for each, by suite ({@code ProcessContract}) or case ({@code ProcessContract.shouldReachTheMemoryOfAnotherProcess}); a name
     *     that no suite or case on the class path has fails the run
     */
    default Map<String, String> leftOut() {
        return Map.of();
    }

    /**
     * Whether endpoints can leave the transport's lanes and go on over the control connection.
     *
     * @return false unless overridden
     */
    default boolean leavesLanes() {
        return false;
    }

    /**
     * Makes an instance of the class that a run names. Where the system property {@code fairlead.contract.security} names a {@code security.mode},
     * its connections are secured by that. Where {@code fairlead.contract.cut-every-ms} or
     * {@code fairlead.contract.switch-every-ms} says how often, they are cut and resumed, or its endpoints leave their lanes and return.
     *
     * @param className the name of a class that implements this interface and has a constructor without parameters
     * @return a new instance
     * @throws IllegalArgumentException if there is no such class
     */
    static TransportUnderTest named(String className) {
        Class<?> named = ReflectionSupport.tryToLoadClass(className)
                .getOrThrow(cause -> new IllegalArgumentException(
                        ContractSuites.TRANSPORT + " names no class: " + className, cause));
        if (!TransportUnderTest.class.isAssignableFrom(named)) {
            throw new IllegalArgumentException(ContractSuites.TRANSPORT + " names a class that does not implement "
                    + TransportUnderTest.class.getName() + ": " + className);
        }
        return SecuredTransport.asAsked(
                DisturbedTransport.asAsked((TransportUnderTest) ReflectionSupport.newInstance(named)));
    }
}
