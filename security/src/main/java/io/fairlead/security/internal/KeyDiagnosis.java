package io.fairlead.security.internal;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKeys;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.internal.files.KeyLoader;
import io.fairlead.security.internal.files.KeyMaterial;
import io.fairlead.security.internal.tls.KeyUse;
import io.fairlead.security.internal.tls.PeerDemand;
import io.fairlead.security.internal.tls.TlsKeys;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.host.FileRights;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The findings of {@code fairlead doctor} about the keys. */
final class KeyDiagnosis {
    private static final Duration EXPIRES_SOON = Duration.ofDays(30);
    private static final String KEYS = "keys";

    private KeyDiagnosis() {}

    static List<Diagnosis> of(FairleadConfig config, Map<String, String> environment, InstantSource clock) {
        boolean configured = !config.value(SecurityKeys.CERTIFICATE).isBlank()
                || !config.value(SecurityKeys.SHARED_SECRET_FILE).isBlank();
        if (!configured) {
            return List.of(none(config));
        }
        List<Diagnosis> findings = new ArrayList<>();
        KeyMaterial material;
        try {
            KeyLoader loader = new KeyLoader(config, environment, clock);
            loader.files()
                    .forEach(file -> FileRights.diagnose("key files", "whom this process trusts, or what it is", file)
                            .ifPresent(findings::add));
            if (!findings.isEmpty()) {
                return findings;
            }
            material = loader.load();
            findings.add(Diagnosis.ok(
                    "key files", "read, and what is secret is not open to all users of this host: " + names(loader)));
            TlsKeys.of(material, EngineChoice.of(config), PeerDemand.of(config), clock);
        } catch (FairleadException refused) {
            return failure(refused);
        } catch (GeneralSecurityException refused) {
            findings.add(Diagnosis.failure(
                    KEYS,
                    "the TLS library refuses them: " + refused.getMessage(),
                    "./fairlead keys node makes others"));
            return findings;
        }
        if (material.isBySecret()) {
            findings.add(Diagnosis.ok(
                    "shared secret",
                    material.secrets().getFirst().length + " bytes, at least " + KeyLoader.SECRET_MIN
                            + (material.secrets().size() > 1 ? "; another one is accepted as well" : "")));
            return findings;
        }
        findings.add(Diagnosis.ok("private key", "is the key of the certificate"));
        findings.add(expiry("certificate", material.certificate(), clock));
        material.authorities().stream()
                .sorted(Comparator.comparing(
                        authority -> authority.getNotAfter().toInstant()))
                .forEach(authority -> findings.add(expiry("authority", authority, clock)));
        use(material.certificate()).ifPresent(findings::add);
        findings.add(chain(material, clock));
        return findings;
    }

    /** Peers refuse a certificate that does not allow their end of a connection. */
    private static Optional<Diagnosis> use(X509Certificate certificate) {
        List<String> missing = new ArrayList<>(KeyUse.missing(certificate));
        if (!KeyUse.allowsSignatures(certificate)) {
            missing.add("digitalSignature");
        }
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        Diagnosis.failure(
                                "certificate use",
                                "peers refuse this process where the certificate would be needed for what it does not allow: missing="
                                        + String.join(", ", missing),
                                "have one issued with extendedKeyUsage = clientAuth, serverAuth and keyUsage = digitalSignature"));
    }

    /** A context with security does not open without keys. */
    private static Diagnosis none(FairleadConfig config) {
        String finding = "none are configured: security.certificate and security.shared-secret-file are empty";
        SecurityMode mode = config.value(ConfigKeys.SECURITY_MODE);
        return mode == SecurityMode.OFF
                ? Diagnosis.ok(KEYS, finding)
                : Diagnosis.failure(
                        KEYS,
                        finding + ", and security.mode=" + ConfigKeys.SECURITY_MODE.format(mode)
                                + " opens no context without them",
                        "./fairlead keys makes them and prints what to set");
    }

    /** Splits the line of an exception into finding and remedy. */
    private static List<Diagnosis> failure(FairleadException refused) {
        String message = String.valueOf(refused.getMessage());
        int cut = message.lastIndexOf("; ");
        return List.of(
                cut < 0
                        ? Diagnosis.failure(KEYS, message, "correct it")
                        : Diagnosis.failure(KEYS, message.substring(0, cut), message.substring(cut + 2)));
    }

    private static String names(KeyLoader loader) {
        return loader.files().stream().map(Path::toString).collect(Collectors.joining(", "));
    }

    private static Diagnosis expiry(String name, X509Certificate certificate, InstantSource clock) {
        Instant end = certificate.getNotAfter().toInstant();
        Duration left = Duration.between(clock.instant(), end);
        String finding = certificate.getSubjectX500Principal().getName() + ", valid until " + end;
        if (left.isNegative()) {
            return Diagnosis.failure(name, finding + ", which is over", "make a new one and replace the file");
        }
        return left.compareTo(EXPIRES_SOON) < 0
                ? Diagnosis.warning(
                        name,
                        finding + ", which is in " + left.toDays() + " days",
                        "make a new one and replace the file")
                : Diagnosis.ok(name, finding);
    }

    /** Peers with the same authorities as this process accept its certificate if this process does. */
    private static Diagnosis chain(KeyMaterial material, InstantSource clock) {
        X509Certificate own = material.certificate();
        String name = "chain";
        if (material.chain().stream().anyMatch(material.revocations()::has)) {
            return Diagnosis.failure(
                    name,
                    "security.revoked names this process's own certificate",
                    "make a new one and replace the file");
        }
        try {
            X509CertSelector target = new X509CertSelector();
            target.setCertificate(own);
            PKIXBuilderParameters parameters = new PKIXBuilderParameters(
                    material.authorities().stream()
                            .map(authority -> new TrustAnchor(authority, null))
                            .collect(Collectors.toSet()),
                    target);
            parameters.setRevocationEnabled(false);
            parameters.setDate(Date.from(clock.instant()));
            parameters.addCertStore(
                    CertStore.getInstance("Collection", new CollectionCertStoreParameters(material.chain())));
            CertPathBuilder.getInstance("PKIX").build(parameters);
            return Diagnosis.ok(
                    name,
                    "leads to an authority of security.trust: issuer="
                            + own.getIssuerX500Principal().getName());
        } catch (GeneralSecurityException broken) {
            return Diagnosis.warning(
                    name,
                    "does not lead to an authority of security.trust, so that peers which trust the same refuse this process: issuer="
                            + own.getIssuerX500Principal().getName() + ", cause=" + broken.getMessage(),
                    "add what is missing between to security.certificate, or the authority to security.trust");
        }
    }
}
