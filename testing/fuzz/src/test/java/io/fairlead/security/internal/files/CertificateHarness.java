package io.fairlead.security.internal.files;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKey;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.fuzz.ScratchFile;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.internal.pem.Pem;
import io.fairlead.security.internal.tls.PeerNames;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/**
 * Files of certificates, keys, secrets and passwords, one of them at a time beside good ones. The first byte chooses which, and whether the input is the whole file
 * or what is to be put into its PEM. Certificates that are understood are asked for the names of their peer.
 */
public final class CertificateHarness implements Harness {
    private static final int CHAIN = 0;
    private static final int KEY = 1;
    private static final int TRUST = 2;
    private static final int STORE = 3;
    private static final int SEALED_KEY = 4;
    private static final int SECRET = 5;
    private static final int PASSWORD = 6;
    private static final int CHOICES = 7;
    private static final int IN_PEM = 1 << 6;

    private static final InstantSource CLOCK = InstantSource.system();
    private static final Map<String, String> ENVIRONMENT = Map.of(Passwords.VARIABLE, OwnFiles.PASSWORD);

    private final OwnFiles own = new OwnFiles();
    private final ScratchFile file = new ScratchFile("input.pem");
    private final ScratchFile store = new ScratchFile("input.p12");
    private final Path goodStore = new ScratchFile("good.p12").write(own.store());

    @Override
    public List<byte[]> seeds() {
        byte[] authority = der(own.authority.certificate());
        byte[] node = der(own.node.certificate());
        return List.of(
                Input.behind(CHAIN, text(own.node.certificatePem() + own.authority.certificatePem())),
                Input.behind(CHAIN | IN_PEM, node),
                Input.behind(KEY, text(own.node.keyPem())),
                Input.behind(KEY, text(Pem.write("EC PRIVATE KEY", new byte[20]))),
                Input.behind(KEY | IN_PEM, own.node.key().getEncoded()),
                Input.behind(TRUST, text("# of the tests\n" + own.authority.certificatePem())),
                Input.behind(TRUST | IN_PEM, authority),
                Input.behind(TRUST | IN_PEM, node),
                Input.behind(STORE, own.store()),
                Input.behind(SEALED_KEY | IN_PEM, own.sealedKey()),
                Input.behind(SECRET, text("0123456789abcdef".repeat(4) + "\n")),
                Input.behind(PASSWORD, text(OwnFiles.PASSWORD + "\n")));
    }

    private static byte[] der(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (CertificateEncodingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void run(byte[] input) {
        Input in = new Input(input);
        int first = in.u8();
        boolean inPem = (first & IN_PEM) != 0;
        byte[] content = in.rest();
        FairleadConfig config = switch (choice(first)) {
            case CHAIN -> with(SecurityKeys.CERTIFICATE, inPem, Pem.CERTIFICATE, content);
            case KEY -> with(SecurityKeys.KEY, inPem, Pem.PRIVATE_KEY, content);
            case TRUST -> with(SecurityKeys.TRUST, inPem, Pem.CERTIFICATE, content);
            case STORE -> OwnFiles.with(FairleadConfig.defaults(), SecurityKeys.CERTIFICATE, store.write(content));
            case SEALED_KEY -> with(SecurityKeys.KEY, inPem, Pem.ENCRYPTED_PRIVATE_KEY, content);
            case SECRET ->
                OwnFiles.with(FairleadConfig.defaults(), SecurityKeys.SHARED_SECRET_FILE, file.write(content));
            default ->
                OwnFiles.with(
                        OwnFiles.with(FairleadConfig.defaults(), SecurityKeys.CERTIFICATE, goodStore),
                        SecurityKeys.PASSWORD_FILE,
                        file.write(content));
        };
        try {
            KeyMaterial material = new KeyLoader(config, ENVIRONMENT, CLOCK).load();
            Expect.that(
                    PrivateKeys.match(material.key(), material.certificate().getPublicKey()),
                    "a key of another certificate");
            material.chain().forEach(CertificateHarness::name);
            material.authorities().forEach(CertificateHarness::name);
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.CONFIGURATION);
        }
    }

    private static int choice(int first) {
        return (first & ~IN_PEM) % CHOICES;
    }

    private FairleadConfig with(ConfigKey<String> key, boolean inPem, String label, byte[] content) {
        return OwnFiles.with(own.config, key, file.write(inPem ? text(Pem.write(label, content)) : content));
    }

    /** What an identity accepts goes into logs as it is. */
    private static void name(X509Certificate certificate) {
        try {
            Expect.line(PeerNames.of(certificate) + ".");
        } catch (CertificateException refused) {
            // The cause of a refusal is shown as one line by whoever tells of it.
            Expect.that(refused.getMessage() != null, "a refusal says nothing");
        }
    }

    /**
     * The library makes a tree of what it reads, and a signature is made with the key. A store is opened in up to five million rounds, which is
     * the JDK's limit, and each leaves something behind.
     */
    @Override
    public long heapMax(byte[] input) {
        boolean isStore = choice(new Input(input).u8()) == STORE;
        return (isStore ? 1L << 30 : 8L << 20) + 1024L * input.length;
    }
}
