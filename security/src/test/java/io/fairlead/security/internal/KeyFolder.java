package io.fairlead.security.internal;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.CertificateAuthority;
import io.fairlead.security.certificates.CertificateRequest;
import io.fairlead.security.certificates.Credential;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;

/** Files of keys as an operator has them, in a folder of a test. */
public final class KeyFolder {
    public static final String HOST = "node.example.org";
    public static final String SPIFFE_ID = "spiffe://example.org/node";

    /** As random as a generator's, to the eye of what reads it. */
    public static final String SECRET = "0123456789abcdef".repeat(4);

    public static final String OTHER_SECRET = "fedcba9876543210".repeat(4);

    private static final Duration AUTHORITY_VALIDITY = Duration.ofDays(3650);

    private final Path folder;
    private final Credential authority;

    public KeyFolder(Path folder) throws IOException {
        this(folder, "test-ca");
    }

    public KeyFolder(Path folder, String authorityName) throws IOException {
        this.folder = Files.createDirectories(folder);
        authority = CertificateAuthority.create(authorityName, AUTHORITY_VALIDITY);
        write("ca.pem", authority.certificatePem());
    }

    public Credential authority() {
        return authority;
    }

    public Path path(String name) {
        return folder.resolve(name);
    }

    /** Puts a file in the place of another at once, as deployments do. */
    public Path write(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".new"), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return Files.move(
                file, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The certificate of a node that is {@link #HOST} and 127.0.0.1. */
    public Credential issue(String name, Duration validity) {
        return new CertificateAuthority(authority)
                .issue(new CertificateRequest(
                        name,
                        List.of(HOST),
                        List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1")),
                        List.of(URI.create(SPIFFE_ID)),
                        validity));
    }

    /** Writes the files of a node, in the place of those that are there. */
    public Credential writeNode(String name) throws IOException {
        return writeNode(name, Duration.ofDays(90));
    }

    public Credential writeNode(String name, Duration validity) throws IOException {
        Credential node = issue(name, validity);
        write(name + ".pem", node.certificatePem());
        write(name + "-key.pem", node.keyPem());
        return node;
    }

    /** The configuration of a node whose files are here. */
    public FairleadConfig config(String name) {
        return with(
                with(
                        with(FairleadConfig.defaults(), SecurityKeys.CERTIFICATE, name + ".pem"),
                        SecurityKeys.KEY,
                        name + "-key.pem"),
                SecurityKeys.TRUST,
                "ca.pem");
    }

    /** A configuration with another file of this folder. */
    public FairleadConfig with(FairleadConfig config, ConfigKey<String> key, String file) {
        return config.with(key, folder.resolve(file).toString());
    }
}
