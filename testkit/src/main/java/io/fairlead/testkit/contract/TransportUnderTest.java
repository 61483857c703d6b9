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
 * The one hook of the contract suites: what they have to know about the transport that they run over. A test class with
 * {@link ContractSuites} names an implementation and runs them all; one that extends a suite returns an instance from
 * {@link TransportContract#transport()}.
 */
public interface TransportUnderTest {
    /**
     * The transport's provider. Contexts of the suites are opened with it alone, possibly decorated.
     *
     * @return the provider
     */
    TransportProvider provider();

    /**
     * The transport's name.
     *
     * @return what its provider calls itself
     */
    default String name() {
        return provider().name();
    }

    /**
     * What the transport declares to be able to. Pinned here, so that a capability that goes missing fails a test instead of skipping some.
     *
     * @return the expected capabilities
     */
    Set<Capability> capabilities();

    /**
     * The kind of path that two contexts of one process take. Pinned like the capabilities.
     *
     * @return the expected kind
     */
    PathClass pathClass();

    /**
     * Adds what the transport needs to a configuration.
     *
     * @param base the suite's configuration, which has the transport chosen already
     * @return the configuration to open contexts with
     */
    default FairleadConfig configure(FairleadConfig base) {
        return base;
    }

    /**
     * What a child process has to be started with besides this process's class path, for the transport to be available in it.
     *
     * @return options of the {@code java} command
     */
    default List<String> jvmOptions() {
        return List.of();
    }

    /**
     * What the transport cannot be held to, and why. It is left out before the run, so that it is not among what is skipped.
     *
     * @return reasons by suite ({@code ProcessContract}) or by case ({@code ProcessContract.shouldReachTheMemoryOfAnotherProcess}); a name
     *     that no suite or case has fails the run
     */
    default Map<String, String> leftOut() {
        return Map.of();
    }

    /**
     * Makes an instance of the class that a run names.
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
        return (TransportUnderTest) ReflectionSupport.newInstance(named);
    }
}
