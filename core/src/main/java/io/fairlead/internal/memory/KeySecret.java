package io.fairlead.internal.memory;

import io.fairlead.spi.HmacKey;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * What a context signs its remote keys with. Peers get it in the handshake, because it is they who refuse a key that says something else
 * than its owner said: it keeps whoever stores or carries a key from widening it, and not a peer from doing what its own process can do.
 */
public final class KeySecret {
    /** Bytes of a secret. */
    public static final int LENGTH = 16;
    /** Bytes of a signature. */
    static final int SIGNATURE_LENGTH = 16;

    /** Of a sender that has no regions. */
    public static final KeySecret NONE = new KeySecret(new byte[LENGTH]);

    private final byte[] bytes;

    private KeySecret(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Draws a secret.
     *
     * @return a secret that nobody else has
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

    /** Without the secret. */
    @Override
    public String toString() {
        return "KeySecret";
    }
}
