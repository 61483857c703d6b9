package io.fairlead.security.internal.files;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.fuzz.ScratchFile;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.CertificateAuthority;
import io.fairlead.security.certificates.CertificateRequest;
import io.fairlead.security.certificates.Credential;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS8EncryptedPrivateKeyInfoBuilder;
import org.bouncycastle.pkcs.jcajce.JcePKCSPBEOutputEncryptorBuilder;

/** The files of a node with an authority, all as they have to be. */
public final class OwnFiles {
    static final String PASSWORD = "correct horse";

    /** Few, so that an input takes no time over them. */
    private static final int ITERATIONS = 4;

    final Credential authority = CertificateAuthority.create("fuzz-ca", Duration.ofDays(10));
    final Credential node = new CertificateAuthority(authority)
            .issue(new CertificateRequest(
                    "node",
                    List.of("node.example.org"),
                    List.of(InetAddress.ofLiteral("127.0.0.1")),
                    List.of(URI.create("spiffe://example.org/node")),
                    Duration.ofDays(1)));
    /** The configuration of the node. */
    public final FairleadConfig config = with(
            with(
                    with(FairleadConfig.defaults(), SecurityKeys.CERTIFICATE, file("node.pem", node.certificatePem())),
                    SecurityKeys.KEY,
                    file("node-key.pem", node.keyPem())),
            SecurityKeys.TRUST,
            file("ca.pem", authority.certificatePem()));

    private static Path file(String name, String text) {
        return new ScratchFile(name).write(text.getBytes(StandardCharsets.US_ASCII));
    }

    static FairleadConfig with(FairleadConfig config, ConfigKey<String> key, Path file) {
        return config.with(key, file.toString());
    }

    /** The node's key and chain in PKCS#12. */
    byte[] store() {
        for (String count : List.of("certPbeIterationCount", "keyPbeIterationCount", "macIterationCount")) {
            System.setProperty("keystore.pkcs12." + count, String.valueOf(ITERATIONS));
        }
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("node", node.key(), PASSWORD.toCharArray(), new Certificate[] {
                node.certificate(), authority.certificate()
            });
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            store.store(out, PASSWORD.toCharArray());
            return out.toByteArray();
        } catch (GeneralSecurityException | IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The node's key under the password, in DER. */
    byte[] sealedKey() {
        try {
            var encryptor = new JcePKCSPBEOutputEncryptorBuilder(NISTObjectIdentifiers.id_aes256_CBC)
                    .setIterationCount(ITERATIONS)
                    .setProvider(new BouncyCastleProvider())
                    .build(PASSWORD.toCharArray());
            return new JcaPKCS8EncryptedPrivateKeyInfoBuilder(node.key())
                    .build(encryptor)
                    .getEncoded();
        } catch (OperatorCreationException | IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A list of the authority's with the node in it, in DER. */
    byte[] revocationList() {
        Date now = new Date();
        try {
            JcaX509v2CRLBuilder builder = new JcaX509v2CRLBuilder(authority.certificate(), now);
            builder.setNextUpdate(new Date(now.getTime() + Duration.ofDays(1).toMillis()));
            builder.addCRLEntry(node.certificate().getSerialNumber(), now, 0);
            builder.addCRLEntry(BigInteger.TEN, now, 1);
            return builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(authority.key()))
                    .getEncoded();
        } catch (OperatorCreationException | IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
