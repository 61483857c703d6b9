package io.fairlead.system.trust;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKeys;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.CertificateAuthority;
import io.fairlead.security.certificates.CertificateRequest;
import io.fairlead.security.certificates.Credential;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** An authority, and the files of its nodes, in a folder of a test. */
final class TrustKeys {
    private static final Duration VALIDITY = Duration.ofDays(30);
    /** On a machine that does much else, TLS takes its time. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Path folder;
    private final Credential authority;

    TrustKeys(Path parent, String name) throws IOException {
        folder = Files.createDirectory(parent.resolve(name));
        authority = CertificateAuthority.create(name, VALIDITY);
        write("ca.pem", authority.certificatePem());
    }

    Path path(String file) {
        return folder.resolve(file);
    }

    /** Puts a file in the place of another at once, as deployments do. */
    void write(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".new"), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.move(file, path(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** A certificate for 127.0.0.1. */
    Credential issue(String name) {
        return issue(name, List.of(InetAddress.ofLiteral("127.0.0.1")), VALIDITY);
    }

    Credential issue(String name, List<InetAddress> addresses, Duration validity) {
        List<String> names = addresses.isEmpty() ? List.of("elsewhere.example.org") : List.of();
        return new CertificateAuthority(authority)
                .issue(new CertificateRequest(name, names, addresses, List.of(), validity));
    }

    /** The configuration of a node with a certificate for 127.0.0.1. */
    FairleadConfig node(String name) throws IOException {
        return node(name, issue(name));
    }

    /** The configuration of a node that trusts this authority. */
    FairleadConfig node(String name, Credential own) throws IOException {
        write(name + ".pem", own.certificatePem());
        write(name + "-key.pem", own.keyPem());
        return plain(name)
                .with(ConfigKeys.SECURITY_MODE, SecurityMode.ENCRYPTED)
                .with(SecurityKeys.CERTIFICATE, path(name + ".pem").toString())
                .with(SecurityKeys.KEY, path(name + "-key.pem").toString())
                .with(SecurityKeys.TRUST, path("ca.pem").toString());
    }

    /** The configuration of a node with a shared secret. */
    FairleadConfig secret(String name, int secret) throws IOException {
        byte[] bytes = new byte[32];
        new Random(secret).nextBytes(bytes);
        write(name + "-secret", HexFormat.of().formatHex(bytes) + "\n");
        return plain(name)
                .with(ConfigKeys.SECURITY_MODE, SecurityMode.ENCRYPTED)
                .with(SecurityKeys.SHARED_SECRET_FILE, path(name + "-secret").toString());
    }

    /** The configuration of a node without security. */
    static FairleadConfig plain(String name) {
        return FairleadConfig.defaults()
                .with(ConfigKeys.NODE_NAME, name)
                .with(ConfigKeys.POLICY, PathPolicy.TCP_ONLY)
                .with(ConfigKeys.CONNECT_TIMEOUT, PATIENCE)
                .with(ConfigKeys.HELLO_TIMEOUT, PATIENCE);
    }
}
