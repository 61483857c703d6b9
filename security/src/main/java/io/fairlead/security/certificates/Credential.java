package io.fairlead.security.certificates;

import io.fairlead.security.internal.pem.Pem;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.List;

/**
 * A certificate and its private key. Immutable.
 *
 * @param key the private key
 * @param certificate the certificate of its public key
 */
public record Credential(PrivateKey key, X509Certificate certificate) {
    private static final Duration SELF_SIGNED_VALIDITY = Duration.ofDays(3650);

    /**
     * Creates a certificate without a proof, for a handshake whose proof is another one.
     *
     * @param name the subject's common name
     * @return a new key and its self-signed certificate
     */
    public static Credential selfSigned(String name) {
        KeyPair keys = CertificateWriter.newKeys();
        return new Credential(
                keys.getPrivate(),
                CertificateWriter.of(name, SELF_SIGNED_VALIDITY).sign(keys));
    }

    /**
     * Reads both from their files.
     *
     * @param certificatePem the text of a file whose first certificate is used
     * @param keyPem the text of a file with its key in PKCS#8, unencrypted
     * @return the pair; whether they belong together is not checked
     * @throws IllegalArgumentException naming the fault of one of them
     */
    public static Credential read(String certificatePem, String keyPem) {
        try {
            X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(only(certificatePem, Pem.CERTIFICATE)));
            PrivateKey key = KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(only(keyPem, Pem.PRIVATE_KEY)));
            return new Credential(key, certificate);
        } catch (GeneralSecurityException damaged) {
            throw new IllegalArgumentException("certificate or key is damaged: " + damaged.getMessage(), damaged);
        }
    }

    private static byte[] only(String text, String label) {
        List<Pem.Block> blocks = Pem.read(text);
        return blocks.stream()
                .filter(block -> block.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no " + label + " in PEM"))
                .content();
    }

    /**
     * The certificate in the format of a file.
     *
     * @return PEM
     */
    public String certificatePem() {
        try {
            return Pem.write(Pem.CERTIFICATE, certificate.getEncoded());
        } catch (CertificateEncodingException unreachable) {
            throw new IllegalStateException("a certificate that was read cannot be written", unreachable);
        }
    }

    /**
     * The key in the format of a file, which only its owner may read.
     *
     * @return PKCS#8 in PEM, unencrypted
     */
    public String keyPem() {
        return Pem.write(Pem.PRIVATE_KEY, key.getEncoded());
    }

    /** Names the certificate, and omits the key. */
    @Override
    public String toString() {
        return String.valueOf(certificate.getSubjectX500Principal());
    }
}
