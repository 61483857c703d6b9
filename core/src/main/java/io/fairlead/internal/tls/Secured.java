package io.fairlead.internal.tls;

import io.fairlead.PeerIdentity;
import java.util.function.BooleanSupplier;

/**
 * The security properties of a connection before its first handshake message. Immutable, except for
 * {@link #isOutdated()}, {@link #isRevoked()} and {@link #isExpired()}.
 */
public final class Secured {
    /** Not secured. */
    public static final Secured NOT =
            new Secured(PeerIdentity.ANONYMOUS, new byte[0], () -> false, () -> false, () -> false, 0);

    private final PeerIdentity identity;
    private final byte[] pathSecret;
    private final BooleanSupplier outdated;
    private final BooleanSupplier revoked;
    private final BooleanSupplier expired;
    private final long madeNs;

    /**
     * The properties of a connection inside TLS.
     *
     * @param identity the authenticated identity of the peer
     * @param pathSecret the secret from which both ends derive the keys of their paths
     * @param outdated whether this side has other keys since the connection was established
     * @param revoked whether the peer's certificate has been revoked
     * @param expired whether the peer's certificate has expired
     * @param madeNs time of the connection, by {@link System#nanoTime()}
     */
    Secured(
            PeerIdentity identity,
            byte[] pathSecret,
            BooleanSupplier outdated,
            BooleanSupplier revoked,
            BooleanSupplier expired,
            long madeNs) {
        this.identity = identity;
        this.pathSecret = pathSecret;
        this.outdated = outdated;
        this.revoked = revoked;
        this.expired = expired;
        this.madeNs = madeNs;
    }

    /** A copy for an ended connection, without its engine. */
    public Secured ended() {
        return new Secured(identity, pathSecret, () -> false, () -> false, () -> false, madeNs);
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
        return outdated.getAsBoolean();
    }

    /** Whether the peer's certificate has been revoked since. */
    boolean isRevoked() {
        return revoked.getAsBoolean();
    }

    /** Whether the peer's certificate has expired since. */
    boolean isExpired() {
        return expired.getAsBoolean();
    }

    /** The time of the connection, by {@link System#nanoTime()}. */
    long madeNs() {
        return madeNs;
    }
}
