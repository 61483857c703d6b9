package io.fairlead.testkit.contract;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.SecurityMode;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.providers.SecurityProviders;
import io.fairlead.spi.TransportProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Any transport on connections that are secured by a shared secret. Runs of suites are over such a one where the system property {@value #MODE} names
 * a mode; that needs the module {@code fairlead-security} on the path.
 */
final class SecuredTransport implements TransportUnderTest {
    /** Which {@code security.mode} the suites use; none without it. */
    static final String MODE = "fairlead.contract.security";

    /** The file of the secret, for a process that is started as a peer. */
    private static final String SECRET_FILE = "fairlead.contract.security.secret-file";

    private static final String SECRET_KEY = "security.shared-secret-file";
    private static final int SECRET_BYTES = 32;

    /** One for all cases of a process: it is never changed. */
    private static final class Secret {
        private static final Path FILE = newSecretFile();
    }

    private final TransportUnderTest plain;
    private final String mode;

    private SecuredTransport(TransportUnderTest plain, String mode) {
        this.plain = plain;
        this.mode = mode;
    }

    /** The transport, on secured connections if the run asks for them. */
    static TransportUnderTest asAsked(TransportUnderTest plain) {
        String mode = System.getProperty(MODE);
        return mode == null ? plain : new SecuredTransport(plain, mode);
    }

    /** Secures the connections of a process that was started as a peer, in the same way as its parent's. */
    static FairleadConfig configured(FairleadConfig base) {
        String mode = System.getProperty(MODE);
        return mode == null ? base : secured(base, mode, System.getProperty(SECRET_FILE, ""));
    }

    /** The transport under test carries the data, also where that is RDMA, which nothing encrypts. */
    private static FairleadConfig secured(FairleadConfig base, String mode, String secretFile) {
        return with(
                base.with(ConfigKeys.SECURITY_MODE, ConfigKeys.SECURITY_MODE.parse(mode))
                        .with(ConfigKeys.SECURITY_TRUSTED_FABRIC, true),
                SECRET_KEY,
                secretFile);
    }

    /** Sets a key of the module that secures connections. */
    static FairleadConfig with(FairleadConfig base, String name, String value) {
        ConfigKey<?> key = key(name)
                .orElseThrow(() ->
                        new IllegalStateException("fairlead-security is not on the path: there is no key " + name));
        return with(base, key, value);
    }

    private static Optional<ConfigKey<?>> key(String name) {
        return SecurityProviders.configKeys().stream()
                .filter(known -> known.name().equals(name))
                .findFirst();
    }

    /** Whether connections can be secured here. */
    static boolean isAvailable() {
        return key(SECRET_KEY).isPresent();
    }

    /** A file with a new secret, for this user alone. */
    static Path newSecretFile() {
        FileAttribute<?> mine = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try {
            Path file = Files.createTempFile("fairlead-contract", ".secret", mine);
            file.toFile().deleteOnExit();
            replaceSecret(file);
            return file;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Replaces the secret in a file, which is never half written. */
    static void replaceSecret(Path file) throws IOException {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        Path next = Files.writeString(
                file.resolveSibling(file.getFileName() + ".next"),
                HexFormat.of().formatHex(secret) + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-------"));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Secures connections by the secret of this process's suites. */
    static FairleadConfig secured(FairleadConfig base, SecurityMode mode) {
        return secured(base, ConfigKeys.SECURITY_MODE.format(mode), Secret.FILE.toString());
    }

    /** Secures connections by the secret of a file. */
    static FairleadConfig secured(FairleadConfig base, SecurityMode mode, Path secretFile) {
        return secured(base, ConfigKeys.SECURITY_MODE.format(mode), secretFile.toString());
    }

    private static <T> FairleadConfig with(FairleadConfig base, ConfigKey<T> key, String value) {
        return base.with(key, key.parse(value));
    }

    @Override
    public FairleadConfig configure(FairleadConfig base) {
        return secured(plain.configure(base), mode, Secret.FILE.toString());
    }

    @Override
    public List<String> jvmOptions() {
        List<String> options = new ArrayList<>(plain.jvmOptions());
        options.add("-D" + MODE + "=" + mode);
        options.add("-D" + SECRET_FILE + "=" + PeerProcess.secret(Secret.FILE));
        return List.copyOf(options);
    }

    @Override
    public Map<String, String> leftOut() {
        Map<String, String> leftOut = new HashMap<>(plain.leftOut());
        leftOut.put("HandshakeContract", "its peers say what they have overheard, and TLS lets nobody overhear");
        String why = "plain connections show it, and encrypting gigabytes takes a minute";
        leftOut.put("TaggedSizeContract.shouldDeliverBeyond2GiB", why);
        leftOut.put("RemoteMemoryContract.shouldReachRegionBeyond2GiB", why);
        leftOut.put(
                "ResourceContract.shouldStartNoThreads",
                "TLS has threads for arithmetic with public keys, and keys one for new files");
        if (mode.equals("encrypted") && plain.pathClass() == PathClass.SHARED_MEMORY) {
            String elsewhere =
                    "TLS carries the control connection alone: plain connections show it, and TCP inside of TLS";
            List.of("ResourceContract", "ProcessContract", "FaultRoundsContract")
                    .forEach(suite -> leftOut.put(suite, elsewhere));
        }
        return Map.copyOf(leftOut);
    }

    @Override
    public boolean leavesLanes() {
        return plain.leavesLanes();
    }

    @Override
    public TransportProvider provider() {
        return plain.provider();
    }

    @Override
    public String name() {
        return plain.name();
    }

    @Override
    public Set<Capability> capabilities() {
        return plain.capabilities();
    }

    @Override
    public PathClass pathClass() {
        return plain.pathClass();
    }
}
