package io.fairlead;

import java.util.Set;

/**
 * What a context knows about a transport on its path. Immutable.
 *
 * @param name the transport's name
 * @param version compared between peers; empty if it is not available
 * @param available whether it can be used on this host
 * @param cause why it cannot be used, or empty text
 * @param capabilities what it can do; empty if it is not available
 */
public record TransportInfo(
        String name, String version, boolean available, String cause, Set<Capability> capabilities) {
    /** Copies the set. */
    public TransportInfo {
        capabilities = Set.copyOf(capabilities);
    }
}
