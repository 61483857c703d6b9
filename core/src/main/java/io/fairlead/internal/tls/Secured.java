package io.fairlead.internal.tls;

import io.fairlead.PeerIdentity;
import java.util.function.BooleanSupplier;

/** What is known of a connection before its first handshake message. Immutable, but for {@link #isOutdated()}, {@link #isRevoked()} and {@link #isExpired()}. */
public final class Secured {
    /** Not secured at all. */
    public static final Secured NOT =
            new Secured(PeerIdentity.ANONYMOUS, new byte[0], () -> false, () -> false, () -> false, 0);

    private final PeerIdentity identity;
    private final byte[] pathSecret;
    private final BooleanSupplier outdated;
    private final BooleanSupplier revoked;
    private final BooleanSupplier expired;
    private final long madeNs;

    /**
     * Of a connection inside TLS.
     *
     * @param identity who the peer has proved to be
     * @param pathSecret what both ends derive the keys of their paths from
     * @param outdated whether this side has got other keys since the connection was made
     * @param revoked whether the peer would not be believed any more
     * @param expired whether the peer's certificate is not valid any more
     * @param madeNs when it was made, by {@link System#nanoTime()}
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

    /** The same of a connection that has ended, without its engine. */
    public Secured ended() {
        return new Secured(identity, pathSecret, () -> false, () -> false, () -> false, madeNs);
    }

    /** Whether the connection is inside TLS. */
    public boolean isTls() {
        return pathSecret.length > 0;
    }

    /** Who the peer has proved to be. */
    public PeerIdentity identity() {
        return identity;
    }

    /** What both ends derive the keys of their paths from; empty without TLS. */
    public byte[] pathSecret() {
        return pathSecret;
    }

    /** Whether this side has got other keys since. */
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

    /** When the connection was made, by {@link System#nanoTime()}. */
    long madeNs() {
        return madeNs;
    }
}
