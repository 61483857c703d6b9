package io.fairlead.internal.tls;

import io.fairlead.PeerIdentity;
import java.util.Arrays;
import java.util.Objects;

/**
 * What is known of a connection before its first handshake message.
 *
 * @param identity who the peer has proved to be
 * @param pathSecret what both ends derive their keys from; empty without TLS
 * @param keysVersion with which of this side's keys the connection was made
 * @param madeNs when, by {@link System#nanoTime()}
 */
@SuppressWarnings("ArrayRecordComponent") // Equality looks into it.
public record Secured(PeerIdentity identity, byte[] pathSecret, long keysVersion, long madeNs) {
    /** Not secured at all. */
    public static final Secured NOT = new Secured(PeerIdentity.ANONYMOUS, new byte[0], 0, 0);

    public Secured {
        Objects.requireNonNull(identity, "identity");
        Objects.requireNonNull(pathSecret, "pathSecret");
    }

    /** Whether the connection is inside TLS. */
    public boolean isTls() {
        return pathSecret.length > 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secured that
                && identity.equals(that.identity)
                && Arrays.equals(pathSecret, that.pathSecret)
                && keysVersion == that.keysVersion
                && madeNs == that.madeNs;
    }

    @Override
    public int hashCode() {
        return Objects.hash(identity, keysVersion, madeNs);
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "Secured[identity=" + identity + ", keysVersion=" + keysVersion + "]";
    }
}
