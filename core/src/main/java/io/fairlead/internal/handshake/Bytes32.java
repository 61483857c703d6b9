package io.fairlead.internal.handshake;

import java.security.SecureRandom;
import java.util.Arrays;

/** A fresh random number or a signature. Immutable. */
public final class Bytes32 {
    static final int LENGTH = 32;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] bytes;

    /**
     * Keeps an array.
     *
     * @param bytes {@value #LENGTH} bytes, not to be changed
     */
    Bytes32(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException(
                    "wrong length: length=" + bytes.length + ", expected " + LENGTH + " bytes");
        }
        this.bytes = bytes;
    }

    /** A number that nobody can guess. */
    static Bytes32 random() {
        byte[] bytes = new byte[LENGTH];
        RANDOM.nextBytes(bytes);
        return new Bytes32(bytes);
    }

    /** The bytes, not to be changed. */
    byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes32 that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Omits the bytes. */
    @Override
    public String toString() {
        return LENGTH + " bytes";
    }
}
