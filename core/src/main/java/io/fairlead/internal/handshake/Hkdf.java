package io.fairlead.internal.handshake;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;

/** HKDF-SHA256 (RFC 5869), which derives the keys of a connection. Stateless. */
final class Hkdf {
    /** Length of each derived key in bytes. */
    static final int LENGTH = 32;

    private static final byte[] SALT = ascii("fairlead connection");

    private Hkdf() {}

    /** Extracts a key from the material and expands it for a purpose. */
    static byte[] derive(byte[] material, byte[] purpose) {
        try {
            return KDF.getInstance("HKDF-SHA256")
                    .deriveData(HKDFParameterSpec.ofExtract()
                            .addIKM(material)
                            .addSalt(SALT)
                            .thenExpand(purpose, LENGTH));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java from 25 on has HKDF-SHA256", impossible);
        }
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
