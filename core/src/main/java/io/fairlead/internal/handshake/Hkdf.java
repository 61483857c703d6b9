package io.fairlead.internal.handshake;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;

/** HKDF-SHA256 (RFC 5869), which derives the keys of a connection. Stateless. */
final class Hkdf {
    /** Length of each derived key in bytes. */
    static final int LENGTH = 32;

    private static final String ALGORITHM = "HKDF-SHA256";
    private static final byte[] SALT = ascii("fairlead connection");

    private Hkdf() {}

    /** Extracts a key from the material and expands it for a purpose. */
    static byte[] derive(byte[] material, byte[] purpose) {
        try {
            return newDerivation()
                    .deriveData(HKDFParameterSpec.ofExtract()
                            .addIKM(material)
                            .addSalt(SALT)
                            .thenExpand(purpose, LENGTH));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java from 25 on has HKDF-SHA256", impossible);
        }
    }

    /** Of the JDK's own provider if it is there: a search loads each provider before it, which every new process would wait for. */
    private static KDF newDerivation() throws NoSuchAlgorithmException {
        Provider own = Security.getProvider("SunJCE");
        return own == null ? KDF.getInstance(ALGORITHM) : KDF.getInstance(ALGORITHM, own);
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
