package io.fairlead.security.internal.files;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.Credential;
import io.fairlead.security.internal.pem.Pem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Reads the configured files, and refuses inconsistent contents. Thread-safe. */
public final class KeyLoader {
    /** The minimum number of random bytes of a shared secret. */
    public static final int SECRET_MIN = SharedSecrets.RANDOM_MIN;

    /** The name in certificates without a proof, by which a peer with real ones can report the mistake. */
    private static final String MADE_UP = "fairlead-shared-secret";

    private final Optional<NamedFile> certificate;
    private final Optional<NamedFile> key;
    private final Optional<NamedFile> trust;
    private final Optional<NamedFile> revoked;
    private final Optional<NamedFile> secret;
    private final Passwords passwords;
    private final InstantSource clock;

    /**
     * Reads the names of the files.
     *
     * @param config has the names
     * @param environment may have the password
     * @param clock for expiry
     * @throws FairleadException {@code CONFIGURATION} if no proof, or more than one, is configured
     */
    public KeyLoader(FairleadConfig config, Map<String, String> environment, InstantSource clock) {
        certificate = NamedFile.of(config, SecurityKeys.CERTIFICATE);
        key = NamedFile.of(config, SecurityKeys.KEY);
        trust = NamedFile.of(config, SecurityKeys.TRUST);
        revoked = NamedFile.of(config, SecurityKeys.REVOKED);
        secret = NamedFile.of(config, SecurityKeys.SHARED_SECRET_FILE);
        passwords = new Passwords(config, environment);
        this.clock = clock;
        if (secret.isPresent()) {
            Stream.of(certificate, key, trust, revoked)
                    .flatMap(Optional::stream)
                    .findFirst()
                    .ifPresent(other -> {
                        throw other.problem(
                                "is set beside " + SecurityKeys.SHARED_SECRET_FILE.name(),
                                "certificates or a shared secret are the proof: leave out one of the two");
                    });
        } else if (certificate.isEmpty()) {
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION,
                    "connections are to be secured and there are no keys: "
                            + SecurityKeys.CERTIFICATE.name() + " and " + SecurityKeys.SHARED_SECRET_FILE.name()
                            + " are not set; ./fairlead keys makes them and prints what to set");
        }
    }

    /**
     * The files that are read, in the order of their keys.
     *
     * @return the configured files
     */
    public List<Path> files() {
        return Stream.of(certificate, key, passwords.file(), trust, secret, revoked)
                .flatMap(Optional::stream)
                .map(NamedFile::path)
                .toList();
    }

    /**
     * Whether a certificate has the name that a process with a shared secret presents. Anybody can create such a
     * certificate, so this is only for messages.
     *
     * @param certificate a peer's certificate
     * @return whether it has that name
     */
    public static boolean isMadeUpForASecret(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().getName().equals("CN=" + MADE_UP);
    }

    /**
     * Reads the files.
     *
     * @return the consistent contents
     * @throws FairleadException {@code CONFIGURATION}, one line that names the file and the remedy
     */
    public KeyMaterial load() {
        if (secret.isPresent()) {
            List<byte[]> shared = SharedSecrets.read(secret.get());
            Credential own = Credential.selfSigned(MADE_UP);
            return new KeyMaterial(own.key(), List.of(own.certificate()), Set.of(), Revocations.NONE, shared);
        }
        NamedFile named = certificate.orElseThrow();
        return isPkcs12(named.path()) ? loadPkcs12(named) : loadPem(named);
    }

    private KeyMaterial loadPem(NamedFile named) {
        List<X509Certificate> chain = readCertificates(named);
        NamedFile keyFile = key.orElseThrow(() ->
                named.problem("comes without a key", "set " + SecurityKeys.KEY.name() + " to the file of its key"));
        PrivateKey own = PrivateKeys.read(keyFile, chain.getFirst().getPublicKey(), passwords);
        NamedFile authorities = trust.orElseThrow(() -> named.problem(
                "comes without trust",
                "set " + SecurityKeys.TRUST.name()
                        + " to the certificates of the authorities that peers have theirs from"));
        return checked(named, keyFile, own, chain, new LinkedHashSet<>(readCertificates(authorities)));
    }

    private KeyMaterial loadPkcs12(NamedFile named) {
        if (key.isPresent()) {
            throw key.get().problem("is set beside a PKCS#12 file, which has the key", "leave it out");
        }
        named.demandPrivate();
        char[] password = passwords.need(named);
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(new ByteArrayInputStream(named.read()), password);
            List<String> aliases = Collections.list(store.aliases());
            List<String> keys = new ArrayList<>();
            Set<X509Certificate> others = new LinkedHashSet<>();
            for (String alias : aliases) {
                if (store.isKeyEntry(alias)) {
                    keys.add(alias);
                } else if (store.getCertificate(alias) instanceof X509Certificate other) {
                    others.add(other);
                }
            }
            if (keys.size() != 1 || !(store.getKey(keys.getFirst(), password) instanceof PrivateKey own)) {
                throw named.problem("has " + keys.size() + " keys, expected 1", "export the one that is meant");
            }
            List<X509Certificate> chain = x509(store.getCertificateChain(keys.getFirst()));
            chain.stream().skip(1).filter(KeyLoader::isSelfIssued).forEach(others::add);
            trust.ifPresent(file -> {
                others.clear();
                others.addAll(readCertificates(file));
            });
            return checked(named, named, own, chain, others);
        } catch (GeneralSecurityException | IOException refused) {
            throw named.problem(
                    "cannot be opened: cause=" + refused.getMessage(),
                    "correct " + passwords.origin() + ", or name a PKCS#12 file",
                    refused);
        } finally {
            Arrays.fill(password, '\0');
        }
    }

    private KeyMaterial checked(
            NamedFile named,
            NamedFile keyFile,
            PrivateKey own,
            List<X509Certificate> chain,
            Set<X509Certificate> authorities) {
        X509Certificate first = chain.getFirst();
        if (!PrivateKeys.match(own, first.getPublicKey())) {
            throw keyFile.problem(
                    "is not the key of the certificate: subject=" + first.getSubjectX500Principal(),
                    "take the one that it was issued for; a certificate comes before those of its authorities in the file");
        }
        Instant now = clock.instant();
        if (now.isAfter(first.getNotAfter().toInstant())) {
            throw named.problem(
                    "has expired: notAfter=" + first.getNotAfter().toInstant(), "./fairlead keys node makes a new one");
        }
        if (now.isBefore(first.getNotBefore().toInstant())) {
            throw named.problem(
                    "is not valid yet: notBefore=" + first.getNotBefore().toInstant() + ", now=" + now,
                    "correct the clock of this host, or wait");
        }
        if (authorities.isEmpty()) {
            throw named.problem(
                    "has no certificate of an authority beside its own", "set " + SecurityKeys.TRUST.name());
        }
        return new KeyMaterial(own, chain, authorities, loadRevocations(authorities), List.of());
    }

    /**
     * Reads only the revocations.
     *
     * @param authorities the authorities whose revocation lists are valid
     * @return none if no file is configured
     * @throws FairleadException {@code CONFIGURATION}, one line that names the file and the remedy
     */
    public Revocations loadRevocations(Set<X509Certificate> authorities) {
        return revoked.map(file -> Revocations.read(file, authorities)).orElse(Revocations.NONE);
    }

    private static List<X509Certificate> readCertificates(NamedFile file) {
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            List<X509Certificate> found = new ArrayList<>();
            for (Pem.Block block : Pem.read(file.readText())) {
                if (block.label().equals(Pem.CERTIFICATE)) {
                    found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.content())));
                }
            }
            if (found.isEmpty()) {
                throw file.problem("has no certificate in PEM", "name a file that has one");
            }
            return found;
        } catch (GeneralSecurityException | IllegalArgumentException damaged) {
            throw file.problem(
                    "has no whole certificate: cause=" + damaged.getMessage(), "write the file again", damaged);
        }
    }

    private static List<X509Certificate> x509(Certificate[] chain) {
        return Arrays.stream(chain).map(X509Certificate.class::cast).toList();
    }

    private static boolean isSelfIssued(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal());
    }

    private static boolean isPkcs12(Path path) {
        String name = path.toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".p12") || name.endsWith(".pfx");
    }
}
