package io.fairlead.internal.handshake;

/** The keys with which the transport of an endpoint authenticates its messages about one connection. Both sides derive the same keys. Immutable. */
public final class PathKeys {
    private final byte[] secret;

    PathKeys(byte[] secret) {
        this.secret = secret;
    }

    /**
     * The key for one purpose.
     *
     * @param label names the purpose, in ASCII
     * @return 32 bytes, owned by the caller
     */
    public byte[] key(String label) {
        return Hkdf.derive(secret, Hkdf.ascii(label));
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return "PathKeys";
    }
}
