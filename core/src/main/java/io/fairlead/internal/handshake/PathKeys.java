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
        return key(secret, label);
    }

    /** The same of keys that are kept as their {@link #secret()}. */
    public static byte[] key(byte[] secret, String label) {
        return Hkdf.derive(secret, Hkdf.ascii(label));
    }

    /** What each key is derived from; not to be changed. */
    public byte[] secret() {
        return secret;
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return "PathKeys";
    }
}
