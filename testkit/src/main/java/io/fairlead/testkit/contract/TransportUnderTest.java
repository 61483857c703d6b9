package io.fairlead.testkit.contract;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import java.util.List;
import java.util.Set;

/**
 * The one hook of the contract suites: what they have to know about the transport that they run over. A test class extends a
 * suite and returns an instance from {@link TransportContract#transport()}.
 */
public interface TransportUnderTest {
    /** Which peers an endpoint of the transport can have. */
    enum Peers {
        /** Workers of the same process only, so that the cases with a child process are skipped. */
        SAME_PROCESS,
        /** Workers of other processes of this host too. */
        OTHER_PROCESSES
    }

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
     * Which peers an endpoint of the transport can have.
     *
     * @return other processes, unless overridden
     */
    default Peers peers() {
        return Peers.OTHER_PROCESSES;
    }

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
}
