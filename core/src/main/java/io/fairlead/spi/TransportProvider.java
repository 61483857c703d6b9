package io.fairlead.spi;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import java.util.List;

/**
 * Provides a transport; Fairlead finds it by {@link java.util.ServiceLoader}. Stateless and thread-safe. Creating a
 * provider is cheap: the transport acquires its native resources in {@link #open(TransportSetup)}.
 */
public interface TransportProvider {
    /**
     * The transport's name. Policies and keys refer to it, and peers agree on it.
     *
     * @return 1 to 32 of {@code a-z 0-9 -}, the same on every host; never changes
     */
    String name();

    /**
     * Whether the transport can be used in this process. The check has no lasting effect on the process.
     *
     * @return available, or the cause and the remedy
     */
    Availability availability();

    /**
     * Whether a context with this configuration should use the transport. A transport that is unavailable to such a
     * context reports it here, before it loads libraries or allocates memory.
     *
     * @param config the context's configuration
     * @return available, or the cause and the remedy; {@link #availability()} unless overridden
     */
    default Availability availability(FairleadConfig config) {
        return availability();
    }

    /**
     * The configuration keys of this transport. Their names begin with the transport's name and a dot.
     *
     * @return the keys, in the order of the reference file; never changes
     */
    List<ConfigKey<?>> configKeys();

    /**
     * Checks what the transport needs of this host, such as libraries, limits and devices, for {@code fairlead doctor}.
     * It may open files and connect within the host, and changes nothing. Something unreadable is a finding, never an
     * exception.
     *
     * @return the findings, in the order in which to read them; empty unless overridden
     */
    default List<Diagnosis> diagnose() {
        return List.of();
    }

    /**
     * The rank of the transport among those whose path to a peer is of the same {@link io.fairlead.PathClass}. The
     * lowest rank is chosen; of equal ranks the first name. Transports that
     * {@linkplain AllocatingTransport allocate memory} are tried in the same order, after the one that the policy names.
     *
     * @return a number that never changes; 100 unless overridden
     */
    default int rank() {
        return 100;
    }

    /**
     * Opens the transport for a context.
     *
     * @param setup the context's configuration and identity
     * @return the transport, which the core closes
     * @throws io.fairlead.FairleadException {@code TRANSPORT} with the cause, if it cannot be opened
     */
    Transport open(TransportSetup setup);
}
