package io.fairlead.security.internal.files;

import io.fairlead.security.internal.pem.Pem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.KeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;
import org.jspecify.annotations.Nullable;

/** Reads a private key in PEM, and checks whether it belongs to a certificate. */
final class PrivateKeys {
    private static final String PBES2 = "PBES2";
    private static final String PBES2_OID = "1.2.840.113549.1.5.13";
    /** The maximum that the JDK allows in PKCS#12. */
    private static final int ITERATIONS_MAX = 5_000_000;

    private static final byte[] SAMPLE = "fairlead".getBytes(StandardCharsets.US_ASCII);

    private PrivateKeys() {}

    /** Reads the key of a certificate; the password is read only for an encrypted key. */
    static PrivateKey read(NamedFile file, PublicKey certified, Passwords passwords) {
        byte[] content = file.read();
        try {
            Pem.Block block = only(file, Pem.read(new String(content, StandardCharsets.UTF_8)));
            // A file without a key, such as a certificate, is a different mistake.
            file.demandPrivate();
            KeySpec spec = block.label().equals(Pem.PRIVATE_KEY)
                    ? new PKCS8EncodedKeySpec(block.content())
                    : decrypt(file, block.content(), passwords);
            return KeyFactory.getInstance(certified.getAlgorithm()).generatePrivate(spec);
        } catch (GeneralSecurityException | IllegalArgumentException unusable) {
            throw file.problem(
                    "is no private key for the certificate: algorithm=" + certified.getAlgorithm() + ", cause="
                            + unusable.getMessage(),
                    "take the key that the certificate was issued for",
                    unusable);
        } finally {
            Arrays.fill(content, (byte) 0);
        }
    }

    private static Pem.Block only(NamedFile file, List<Pem.Block> blocks) {
        // A key of openssl ecparam may follow the curve's parameters.
        List<Pem.Block> keys = blocks.stream()
                .filter(block -> block.label().endsWith("PRIVATE KEY"))
                .toList();
        if (keys.size() != 1) {
            throw file.problem("has " + keys.size() + " private keys in PEM", "name a file with one");
        }
        Pem.Block key = keys.getFirst();
        if (!List.of(Pem.PRIVATE_KEY, Pem.ENCRYPTED_PRIVATE_KEY).contains(key.label())) {
            throw file.problem(
                    "has the older form " + key.label(), "openssl pkcs8 -topk8 -in " + file.path() + " writes PKCS#8");
        }
        return key;
    }

    private static KeySpec decrypt(NamedFile file, byte[] content, Passwords passwords)
            throws GeneralSecurityException {
        char[] password = passwords.need(file);
        PBEKeySpec spec = new PBEKeySpec(password);
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(content);
            AlgorithmParameters parameters = info.getAlgParameters();
            checkIterations(file, parameters);
            String algorithm = algorithm(info.getAlgName(), parameters);
            Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(
                    Cipher.DECRYPT_MODE, SecretKeyFactory.getInstance(algorithm).generateSecret(spec), parameters);
            return info.getKeySpec(cipher);
        } catch (GeneralSecurityException | IOException refused) {
            throw file.problem(
                    // The libraries' messages are about padding and tags.
                    "cannot be decrypted: the password is wrong, or the file damaged or of another form",
                    "correct " + passwords.origin()
                            + "; openssl pkcs8 -topk8 -v2 aes256 writes a form that can be read",
                    refused);
        } finally {
            spec.clearPassword();
            Arrays.fill(password, '\0');
        }
    }

    /** Without a limit a damaged file would occupy its reader for hours. */
    private static void checkIterations(NamedFile file, @Nullable AlgorithmParameters parameters)
            throws GeneralSecurityException {
        int count = parameters == null
                ? 0
                : parameters.getParameterSpec(PBEParameterSpec.class).getIterationCount();
        if (count > ITERATIONS_MAX) {
            throw file.problem(
                    "makes its key of the password in too many rounds: iterations=" + count + ", at most "
                            + ITERATIONS_MAX,
                    "openssl pkcs8 -topk8 -v2 aes256 writes it with fewer");
        }
    }

    /** The scheme of all tools names its parts only in its parameters. */
    private static String algorithm(String name, @Nullable AlgorithmParameters parameters) {
        boolean named = !name.equals(PBES2) && !name.equals(PBES2_OID);
        return named || parameters == null ? name : parameters.toString();
    }

    /** Whether the key belongs to the certificate. */
    static boolean match(PrivateKey key, PublicKey certified) {
        String algorithm = switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> key.getAlgorithm();
        };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(SAMPLE);
            byte[] signed = signature.sign();
            signature.initVerify(certified);
            signature.update(SAMPLE);
            return signature.verify(signed);
        } catch (GeneralSecurityException other) {
            return false;
        }
    }
}
