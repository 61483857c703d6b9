package io.fairlead.spi;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key shared by several sides for signing their messages by HMAC-SHA256 (RFC 2104). A signature is truncated to the
 * length that the protocol sends. Immutable and thread-safe.
 */
public final class HmacKey {
    /** The longest signature in bytes: all of a SHA-256. */
    public static final int LENGTH_MAX = 32;

    /** The shortest signature in bytes; fewer could be guessed. */
    public static final int LENGTH_MIN = 16;

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;
    private final int length;

    /**
     * Creates a key.
     *
     * @param key copied; at least 1 byte
     * @param length of the signatures in bytes, {@value #LENGTH_MIN} to {@value #LENGTH_MAX}
     * @throws IllegalArgumentException if the key is empty or the length is out of range
     */
    public HmacKey(byte[] key, int length) {
        if (length < LENGTH_MIN || length > LENGTH_MAX) {
            throw new IllegalArgumentException("signature has a wrong length: length=" + length + ", allowed "
                    + LENGTH_MIN + " to " + LENGTH_MAX + " bytes");
        }
        this.key = new SecretKeySpec(key, ALGORITHM);
        this.length = length;
    }

    /**
     * Signs a message.
     *
     * @param message all of the array
     * @return the signature, owned by the caller
     */
    public byte[] sign(byte[] message) {
        return sign(message, message.length);
    }

    /**
     * Signs the first bytes of an array.
     *
     * @param bytes begin with the message
     * @param messageLength how many of them are the message
     * @return the signature, owned by the caller
     */
    public byte[] sign(byte[] bytes, int messageLength) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(bytes, 0, messageLength);
            return Arrays.copyOf(mac.doFinal(), length);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has " + ALGORITHM, impossible);
        }
    }

    /**
     * Whether a signature belongs to a message. The time of the check does not depend on how much of a wrong signature
     * is right.
     *
     * @param message all of the array
     * @param signature untrusted, of any length
     * @return false also if the signature has another length
     */
    public boolean verify(byte[] message, byte[] signature) {
        return MessageDigest.isEqual(sign(message), signature);
    }

    /**
     * Whether an array is a message followed by its signature.
     *
     * @param signed untrusted, of any length
     * @return false also if there are fewer bytes than a signature has
     */
    public boolean isSigned(byte[] signed) {
        int messageLength = signed.length - length;
        return messageLength >= 0
                && MessageDigest.isEqual(
                        sign(signed, messageLength), Arrays.copyOfRange(signed, messageLength, signed.length));
    }

    /** Omits the key. */
    @Override
    public String toString() {
        return "HmacKey[length=" + length + "]";
    }
}
