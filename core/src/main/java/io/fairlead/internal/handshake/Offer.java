package io.fairlead.internal.handshake;

import java.util.Arrays;
import java.util.Objects;

/**
 * A transport that the connector can use.
 *
 * @param transport the transport's name
 * @param version what the peers' transports compare
 * @param address what the listener's transport needs to reach the connector's worker
 */
@SuppressWarnings("ArrayRecordComponent") // The address is opaque to the core, and equality looks into it.
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
