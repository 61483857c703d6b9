package io.fairlead.security;

import io.fairlead.config.ConfigKey;
import java.time.Duration;
import java.util.List;

/** The configuration keys of certificates and secrets. Names of files are relative to the working directory. */
public final class SecurityKeys {
    private static final int FILE_MAX = 4096;

    /** The certificate of this process. */
    public static final ConfigKey<String> CERTIFICATE = file(
            "security.certificate",
            "This process's certificate and those up to its authority: PEM, or PKCS#12 (.p12, .pfx) with the key.");

    /** The private key of the certificate. */
    public static final ConfigKey<String> KEY =
            file("security.key", "The certificate's private key: PKCS#8 in PEM; not with PKCS#12, which has it.");

    /** The file with the password of an encrypted key. */
    public static final ConfigKey<String> PASSWORD_FILE = file(
            "security.password-file",
            "The password of the key or of the PKCS#12 file; empty: the environment variable FAIRLEAD_SECURITY_PASSWORD.");

    /** The trusted authorities. */
    public static final ConfigKey<String> TRUST = file(
            "security.trust",
            "The authorities (PEM) whose certificates are accepted of peers; empty: the others of the PKCS#12 file.");

    /** The secret that replaces certificates. */
    public static final ConfigKey<String> SHARED_SECRET_FILE = file(
            "security.shared-secret-file",
            "Random secrets of 32 bytes that all peers have, in place of certificates: one a line, the first is used, a second is accepted as well.");

    /** Whether a connector checks the host in the peer's certificate. */
    public static final ConfigKey<Boolean> VERIFY_HOST = ConfigKey.flag(
            "security.verify-host", true, "Whether a connector demands its peer's name or address in the certificate.");

    /** The identities that a connector accepts of listeners. */
    public static final ConfigKey<String> PEER_IDENTITY = ConfigKey.text(
            "security.peer-identity",
            "",
            FILE_MAX,
            "Identities of which a connector demands one in its peer's certificate, such as dns:feed.example.org or"
                    + " uri:spiffe://example.org/feed/*, with commas between; empty: any.");

    /** The revoked certificates. */
    public static final ConfigKey<String> REVOKED = file(
            "security.revoked",
            "Certificates to refuse: serial numbers in hexadecimal, one per line, and revocation lists in PEM.");

    /** How often the files are checked for changes. */
    public static final ConfigKey<Duration> RELOAD_INTERVAL = ConfigKey.duration(
            "security.reload-interval",
            Duration.ofSeconds(10),
            Duration.ofMillis(100),
            Duration.ofDays(1),
            "How often the files above are looked at; what has changed is used for new connections.");

    /** The maximum age of a connection whose keys have been replaced. */
    public static final ConfigKey<Duration> CONNECTION_MAX_AGE = ConfigKey.duration(
            "security.connection-max-age",
            Duration.ofHours(24),
            Duration.ZERO,
            Duration.ofDays(365),
            "The age at which a connection ends whose keys have been replaced since; 0: it never ends for that.");

    /** The provider of the TLS engines. */
    public static final ConfigKey<String> ENGINE = ConfigKey.text(
            "security.engine",
            "jdk",
            32,
            "What does TLS: jdk, or conscrypt where org.conscrypt:conscrypt-openjdk-uber is on the path.");

    private SecurityKeys() {}

    /**
     * All keys.
     *
     * @return in the order of the reference file
     */
    public static List<ConfigKey<?>> all() {
        return List.of(
                CERTIFICATE,
                KEY,
                PASSWORD_FILE,
                TRUST,
                SHARED_SECRET_FILE,
                VERIFY_HOST,
                PEER_IDENTITY,
                REVOKED,
                RELOAD_INTERVAL,
                CONNECTION_MAX_AGE,
                ENGINE);
    }

    private static ConfigKey<String> file(String name, String description) {
        return ConfigKey.text(name, "", FILE_MAX, description);
    }
}
