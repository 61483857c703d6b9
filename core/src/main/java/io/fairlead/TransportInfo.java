package io.fairlead;

import java.util.Set;

/**
 * What a context knows about a transport that it found. Immutable.
 *
 * @param name the transport's name
 * @param version what peers compare; empty where it is not available
 * @param available whether it can be used here
 * @param cause why it cannot be used, or empty text
 * @param capabilities what it can do; empty where it is not available
 */
public record TransportInfo(
        String name, String version, boolean available, String cause, Set<Capability> capabilities) {
    /** Copies the set. */
    public TransportInfo {
        capabilities = Set.copyOf(capabilities);
    }
}
