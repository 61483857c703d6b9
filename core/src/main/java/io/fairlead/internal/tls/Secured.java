package io.fairlead.internal.tls;

import io.fairlead.PeerIdentity;
import io.fairlead.spi.security.SecureEngine;
import org.jspecify.annotations.Nullable;

/**
 * The security properties of a connection before its first handshake message. Immutable, except for
 * {@link #isOutdated()}, {@link #isRevoked()} and {@link #isExpired()}.
 */
public final class Secured {
    /** Not secured. */
    public static final Secured NOT = new Secured(PeerIdentity.ANONYMOUS, new byte[0], null, 0);

    private final PeerIdentity identity;
    private final byte[] pathSecret;
    private final @Nullable SecureEngine engine;
    private final long madeNs;

    /**
     * The properties of a connection inside TLS.
     *
     * @param identity the authenticated identity of the peer
     * @param pathSecret the secret from which both ends derive the keys of their paths
     * @param engine says whether keys and certificates are still valid; null without TLS and after the end
     * @param madeNs time of the connection, by {@link System#nanoTime()}
     */
    Secured(PeerIdentity identity, byte[] pathSecret, @Nullable SecureEngine engine, long madeNs) {
        this.identity = identity;
        this.pathSecret = pathSecret;
        this.engine = engine;
        this.madeNs = madeNs;
    }

    /** A copy for an ended connection, without its engine. */
    public Secured ended() {
        return new Secured(identity, pathSecret, null, madeNs);
    }

    /** Whether the connection is inside TLS. */
    public boolean isTls() {
        return pathSecret.length > 0;
    }

    /** The authenticated identity of the peer. */
    public PeerIdentity identity() {
        return identity;
    }

    /** The secret from which both ends derive the keys of their paths; empty without TLS. */
    public byte[] pathSecret() {
        return pathSecret;
    }

    /** Whether this side has other keys since. */
    boolean isOutdated() {
        return engine != null && engine.isOutdated();
    }

    /** Whether the peer's certificate has been revoked since. */
    boolean isRevoked() {
        return engine != null && engine.isRevoked();
    }

    /** Whether the peer's certificate has expired since. */
    boolean isExpired() {
        return engine != null && engine.isExpired();
    }

    /** The time of the connection, by {@link System#nanoTime()}. */
    long madeNs() {
        return madeNs;
    }
}
