package io.fairlead.internal.memory;

import io.fairlead.spi.HmacKey;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The secret that signs a context's remote keys. Peers receive it in the handshake, because they refuse a key that
 * differs from the owner's. A third party that stores or forwards a key cannot widen it. The secret does not restrain a
 * peer, which can do what its own process can do.
 */
public final class KeySecret {
    /** Length of a secret in bytes. */
    public static final int LENGTH = 16;
    /** Length of a signature in bytes. */
    static final int SIGNATURE_LENGTH = 16;

    /** The secret of a sender without regions. */
    public static final KeySecret NONE = new KeySecret(new byte[LENGTH]);

    private final byte[] bytes;

    private KeySecret(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Creates a random secret.
     *
     * @return a unique secret
     */
    public static KeySecret random() {
        byte[] bytes = new byte[LENGTH];
        new SecureRandom().nextBytes(bytes);
        return new KeySecret(bytes);
    }

    public static KeySecret of(byte[] bytes) {
        return new KeySecret(bytes.clone());
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    /** The signature of the first bytes of an array. */
    byte[] sign(byte[] message, int length) {
        return new HmacKey(bytes, SIGNATURE_LENGTH).sign(message, length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeySecret that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Omits the secret. */
    @Override
    public String toString() {
        return "KeySecret";
    }
}
