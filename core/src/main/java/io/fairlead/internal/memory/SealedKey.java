package io.fairlead.internal.memory;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A packed key that only the peer of one connection can open. It is encrypted with AES-256-GCM by a key of the
 * connection, which under TLS only the two sides have.
 *
 * <p>The bytes are: 2 bytes of version, 2 bytes of 0 and 4 bytes of total length, little-endian; 12 bytes of nonce; the
 * encrypted {@link PackedKey}; 16 bytes of authentication tag of GCM.
 */
final class SealedKey {
    /** No {@link PackedKey} begins with it. */
    static final int VERSION = 0x8001;

    private static final int HEADER_LENGTH = 8;
    private static final int NONCE_LENGTH = 12;
    private static final int TAG_LENGTH = 16;
    private static final int LENGTH_MIN = HEADER_LENGTH + NONCE_LENGTH + TAG_LENGTH;
    private static final int LENGTH_MAX = LENGTH_MIN + PackedKey.LENGTH_MAX;
    private static final SecureRandom RANDOM = new SecureRandom();

    private SealedKey() {}

    /** Whether bytes have the header of a sealed key. */
    static boolean is(byte[] packed) {
        return packed.length >= Short.BYTES
                && Short.toUnsignedInt(ByteBuffer.wrap(packed)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .getShort(0))
                        == VERSION;
    }

    /**
     * Seals a packed key.
     *
     * @param connectionKey 32 bytes, for no other purpose
     */
    static byte[] seal(byte[] packed, byte[] connectionKey) {
        byte[] header = header(LENGTH_MIN + packed.length);
        byte[] nonce = new byte[NONCE_LENGTH];
        RANDOM.nextBytes(nonce);
        try {
            byte[] encrypted =
                    cipher(Cipher.ENCRYPT_MODE, connectionKey, nonce, header).doFinal(packed);
            return ByteBuffer.allocate(header.length + nonce.length + encrypted.length)
                    .put(header)
                    .put(nonce)
                    .put(encrypted)
                    .array();
        } catch (GeneralSecurityException impossible) {
            throw noAes(impossible);
        }
    }

    /**
     * Opens a sealed key.
     *
     * @param sealed untrusted bytes
     * @param connectionKey the key that sealed it
     * @throws FairleadException {@code MALFORMED_KEY}, or {@code STALE_KEY} if it is of another connection or was changed
     */
    static byte[] open(byte[] sealed, byte[] connectionKey) {
        if (sealed.length < LENGTH_MIN || sealed.length > LENGTH_MAX) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY,
                    "bound remote key has a wrong length: length=" + sealed.length + ", allowed " + LENGTH_MIN + " to "
                            + LENGTH_MAX + " bytes");
        }
        byte[] header = header(sealed.length);
        if (!Arrays.equals(header, 0, HEADER_LENGTH, sealed, 0, HEADER_LENGTH)) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY,
                    "bound remote key has a wrong header: length=" + sealed.length
                            + " bytes; ask the owner for it again");
        }
        byte[] nonce = Arrays.copyOfRange(sealed, HEADER_LENGTH, HEADER_LENGTH + NONCE_LENGTH);
        int at = HEADER_LENGTH + NONCE_LENGTH;
        try {
            return cipher(Cipher.DECRYPT_MODE, connectionKey, nonce, header).doFinal(sealed, at, sealed.length - at);
        } catch (AEADBadTagException other) {
            throw new FairleadException(
                    Reason.STALE_KEY,
                    "remote key is bound to another connection, or damaged: length=" + sealed.length
                            + " bytes; ask the owner for a key for this endpoint",
                    other);
        } catch (GeneralSecurityException impossible) {
            throw noAes(impossible);
        }
    }

    private static byte[] header(int length) {
        return ByteBuffer.allocate(HEADER_LENGTH)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) VERSION)
                .putShort((short) 0)
                .putInt(length)
                .array();
    }

    private static Cipher cipher(int mode, byte[] key, byte[] nonce, byte[] header) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_LENGTH * Byte.SIZE, nonce));
        cipher.updateAAD(header);
        return cipher;
    }

    private static IllegalStateException noAes(GeneralSecurityException cause) {
        return new IllegalStateException("every Java has AES-256-GCM", cause);
    }
}
