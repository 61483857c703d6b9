package io.fairlead.internal.handshake;

import java.util.Arrays;
import java.util.Objects;

/**
 * A transport that the connector can use.
 *
 * @param transport the transport's name
 * @param version compared by the peers' transports
 * @param address the connector's worker address, for the listener's transport
 */
@SuppressWarnings("ArrayRecordComponent") // The address is opaque to the core, and equality compares its contents.
public record Offer(String transport, String version, byte[] address) {
    public Offer {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(address, "address");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Offer that
                && transport.equals(that.transport)
                && version.equals(that.version)
                && Arrays.equals(address, that.address);
    }

    @Override
    public int hashCode() {
        return Objects.hash(transport, version);
    }

    @Override
    public String toString() {
        return transport + " " + version + " (" + address.length + " bytes)";
    }
}
