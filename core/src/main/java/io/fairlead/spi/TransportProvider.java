package io.fairlead.spi;

import io.fairlead.config.ConfigKey;
import java.util.List;

/**
 * Makes a transport known. Found by {@link java.util.ServiceLoader}; stateless and thread-safe. Creating one allocates nothing
 * native: {@link #open(TransportSetup)} does.
 */
public interface TransportProvider {
    /**
     * The transport's name: 1 to 32 of {@code a-z 0-9 -}, the same on every host.
     *
     * @return never changes
     */
    String name();

    /**
     * Whether the transport can be used in this process, found out without side effects on it.
     *
     * @return available, or the cause and the remedy
     */
    Availability availability();

    /**
     * The configuration keys of this transport, each named {@code <name>.…}.
     *
     * @return never changes
     */
    List<ConfigKey<?>> configKeys();

    /**
     * Looks at what of this host bears on the transport: libraries, limits, devices. It may open files and connect within the host, and
     * changes nothing; what it cannot read is a finding, never an exception.
     *
     * @return in the order in which to read them; empty if there is nothing to tell
     */
    default List<Diagnosis> diagnose() {
        return List.of();
    }

    /**
     * Where the transport stands among those that make a path of the same {@link io.fairlead.PathClass}: the least rank is chosen, and of equal
     * ones the first by name. Of those that allocate memory the least is asked first too.
     *
     * @return never changes; 100 unless overridden
     */
    default int rank() {
        return 100;
    }

    /**
     * Opens the transport for a context.
     *
     * @param setup configuration and identity
     * @return an open transport
     * @throws io.fairlead.FairleadException {@code TRANSPORT} with the cause
     */
    Transport open(TransportSetup setup);
}
