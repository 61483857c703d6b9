package io.fairlead.testkit.contract;

import io.fairlead.FairleadConfig;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKeys;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.CertificateAuthority;
import io.fairlead.security.certificates.CertificateRequest;
import io.fairlead.security.certificates.Credential;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;

/**
 * An authority and the certificates that it signs, in files of a case. Needs the module {@code fairlead-security}, see
 * {@link SecuredTransport#isAvailable()}.
 */
final class CertificateFolder {
    private static final Duration VALIDITY = Duration.ofDays(1);
    /** Where the suites listen. */
    private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");

    private final Path folder;
    private final CertificateAuthority authority;
    private final Path trust;

    CertificateFolder(Path folder) throws IOException {
        this.folder = folder;
        Credential own = CertificateAuthority.create("contract-ca", VALIDITY);
        this.authority = new CertificateAuthority(own);
        this.trust = Files.writeString(folder.resolve("ca.pem"), own.certificatePem());
    }

    /**
     * Has a side refuse the certificates that a file names, soon after it has changed.
     *
     * @param revoked the file, which is there
     */
    static FairleadConfig heeding(FairleadConfig base, Path revoked) {
        return base.with(SecurityKeys.REVOKED, revoked.toString())
                .with(SecurityKeys.RELOAD_INTERVAL, Duration.ofMillis(100));
    }

    /** A line for a file of revoked certificates, which names one that was made here. */
    String revocation(String name) throws IOException {
        try (InputStream in = Files.newInputStream(folder.resolve(name + ".pem"))) {
            return ((X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in))
                            .getSerialNumber()
                            .toString(16)
                    + "\n";
        } catch (CertificateException impossible) {
            throw new IllegalStateException("it was written here", impossible);
        }
    }

    /**
     * Secures connections by a new certificate, which is valid for the address that suites listen on too.
     *
     * @param name the subject's common name
     * @param dnsName the only DNS name
     * @param uri the only URI
     */
    FairleadConfig certified(FairleadConfig base, String name, String dnsName, String uri) throws IOException {
        return certified(base, name, dnsName, uri, VALIDITY);
    }

    /** The same with a certificate that expires after a time. */
    FairleadConfig certified(FairleadConfig base, String name, String dnsName, String uri, Duration validity)
            throws IOException {
        Credential node = authority.issue(
                new CertificateRequest(name, List.of(dnsName), List.of(HERE), List.of(URI.create(uri)), validity));
        Path certificate = Files.writeString(folder.resolve(name + ".pem"), node.certificatePem());
        Path key = folder.resolve(name + "-key.pem");
        Files.createFile(key, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(key, node.keyPem());
        return base.with(ConfigKeys.SECURITY_MODE, SecurityMode.AUTHENTICATED)
                .with(SecurityKeys.SHARED_SECRET_FILE, "")
                .with(SecurityKeys.CERTIFICATE, certificate.toString())
                .with(SecurityKeys.KEY, key.toString())
                .with(SecurityKeys.TRUST, trust.toString());
    }
}
