package io.fairlead.cli.keys;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.FileProblem;
import io.fairlead.config.ConfigKeys;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.certificates.CertificateAuthority;
import io.fairlead.security.certificates.CertificateRequest;
import io.fairlead.security.certificates.Credential;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Certificates for the processes of one run, by an authority that is made for it. Closing it deletes the files, and so does the end of this
 * JVM by a signal that the JVM handles. The authority's key is never in a file. Thread-safe.
 */
public final class TemporaryKeys implements AutoCloseable {
    /** Longer than any run, and so long that no process warns of its end. */
    private static final Duration VALIDITY = Duration.ofDays(30);

    private final Path folder;
    private final CertificateAuthority authority;
    /** A command may not get to closing what it has open before a signal ends it. */
    private final Thread hook = new Thread(this::delete, "fairlead-temporary-keys");

    private boolean deleted;

    private TemporaryKeys(Path folder, CertificateAuthority authority) {
        this.folder = folder;
        this.authority = authority;
    }

    /** Makes the authority, in a temporary folder for this user alone. */
    public static TemporaryKeys make() {
        Path folder;
        try {
            folder = Files.createTempDirectory("fairlead-keys");
        } catch (IOException failure) {
            throw CommandFailure.failed("temporary keys cannot be kept: folder="
                    + System.getProperty("java.io.tmpdir") + ", cause=" + FileProblem.of(failure)
                    + "; set -Djava.io.tmpdir to a folder that can be written");
        }
        Credential own = CertificateAuthority.create("fairlead-temporary-ca", VALIDITY);
        TemporaryKeys keys = new TemporaryKeys(folder, new CertificateAuthority(own));
        Runtime.getRuntime().addShutdownHook(keys.hook);
        KeyFiles.write(keys.trust(), own.certificatePem());
        return keys;
    }

    private Path trust() {
        return folder.resolve("ca.pem");
    }

    /**
     * Makes the key of a process.
     *
     * @param name of the process, unlike those before
     * @return the configuration that secures its connections from and to 127.0.0.1, by the names of the keys
     */
    public synchronized Map<String, String> settings(String name) {
        if (deleted) {
            throw CommandFailure.failed("the command was stopped before a process had its keys; run it again");
        }
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        Credential node = authority.issue(
                new CertificateRequest(name, List.of("localhost"), List.of(loopback), List.of(), VALIDITY));
        Path certificate = folder.resolve(name + ".pem");
        Path key = folder.resolve(name + "-key.pem");
        KeyFiles.writePair(key, node.keyPem(), certificate, node.certificatePem());
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(ConfigKeys.SECURITY_MODE.name(), "encrypted");
        settings.put(SecurityKeys.CERTIFICATE.name(), certificate.toString());
        settings.put(SecurityKeys.KEY.name(), key.toString());
        settings.put(SecurityKeys.TRUST.name(), trust().toString());
        settings.put(SecurityKeys.VERIFY_HOST.name(), "true");
        // A file that is configured for other connections has nothing to say here.
        settings.put(SecurityKeys.SHARED_SECRET_FILE.name(), "");
        settings.put(SecurityKeys.PASSWORD_FILE.name(), "");
        settings.put(SecurityKeys.REVOKED.name(), "");
        return settings;
    }

    private synchronized void delete() {
        if (deleted) {
            return;
        }
        deleted = true;
        try {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        } catch (IOException failure) {
            throw CommandFailure.failed("temporary keys cannot be deleted: folder=" + folder + ", cause="
                    + FileProblem.of(failure) + "; delete the folder");
        }
    }

    /** Deletes the files. */
    @Override
    public void close() {
        delete();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException exiting) {
            // It finds nothing to do.
            return;
        }
    }
}
