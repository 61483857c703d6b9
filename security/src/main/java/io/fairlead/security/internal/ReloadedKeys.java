package io.fairlead.security.internal;

import io.fairlead.FairleadException;
import io.fairlead.internal.files.FileWatch;
import io.fairlead.security.internal.files.KeyLoader;
import io.fairlead.security.internal.files.KeyMaterial;
import io.fairlead.security.internal.files.Revocations;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest consistent keys of the files. Files may be replaced one after the other: until all of them fit together,
 * the previous keys stay in use. Thread-safe.
 *
 * @param <K> the keys in the form for use
 */
final class ReloadedKeys<K> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadedKeys.class);
    private static final Duration EXPIRES_SOON = Duration.ofDays(7);
    private static final Duration REMINDER = Duration.ofDays(1);

    /** Prepares the file contents for use. */
    interface KeysFactory<K> {
        /** Throws if the library rejects them. */
        K of(KeyMaterial material) throws GeneralSecurityException;
    }

    /**
     * The keys of new connections.
     *
     * @param version incremented with each change
     * @param proofVersion incremented with each change that removes a part of the previous keys
     * @param keys the keys in the form for use
     * @param material the contents of the files
     */
    record Current<K>(long version, long proofVersion, K keys, KeyMaterial material) {}

    private final KeyLoader loader;
    private final KeysFactory<K> factory;
    private final FileWatch files;
    private volatile Current<K> current;
    private volatile boolean closed;

    // Only for the checking thread, one at a time.
    private String problem = "";
    private Instant reminded = Instant.MIN;

    private ReloadedKeys(KeyLoader loader, KeysFactory<K> factory, FileWatch files, Current<K> current) {
        this.loader = loader;
        this.factory = factory;
        this.files = files;
        this.current = current;
    }

    /** Reads the keys for the first time, when any fault is an exception. */
    static <K> ReloadedKeys<K> open(KeyLoader loader, KeysFactory<K> factory) {
        FileWatch files = new FileWatch(loader.files());
        KeyMaterial material = loader.load();
        Current<K> first = new Current<>(1, 1, prepare(factory, material), material);
        ReloadedKeys<K> keys = new ReloadedKeys<>(loader, factory, files, first);
        keys.remind(Instant.now());
        return keys;
    }

    private static <K> K prepare(KeysFactory<K> factory, KeyMaterial material) {
        try {
            return factory.of(material);
        } catch (GeneralSecurityException refused) {
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION,
                    "the TLS library refuses the keys: subject="
                            + material.certificate().getSubjectX500Principal() + ", cause=" + refused.getMessage()
                            + "; ./fairlead keys node makes some that it takes",
                    refused);
        }
    }

    /** Checks the files from now on, until {@link #close()}. */
    void watch(Duration interval) {
        files.start("fairlead-keys", interval, this::look);
    }

    /** Reads the files again if they may have changed. */
    void look() {
        if (files.mayHaveChanged()) {
            try {
                replace(loader.load());
                problem = "";
            } catch (RuntimeException unusable) {
                // This thread must continue after any failure: the next files may be valid.
                warn(String.valueOf(unusable.getMessage()));
                revoke();
            }
        }
        remind(Instant.now());
    }

    /** Reads the revocations separately: they apply even if this side's own keys are unusable. */
    private void revoke() {
        KeyMaterial before = current.material();
        try {
            replace(before.with(loader.loadRevocations(before.authorities())));
        } catch (RuntimeException unusable) {
            // The fault was reported with the other files, or those come first.
            LOG.debug("the revocations stay unchanged: {}", unusable.getMessage());
        }
    }

    private void replace(KeyMaterial material) {
        Current<K> before = current;
        if (closed || isSame(before.material(), material)) {
            return;
        }
        boolean sameProof = isSameProof(before.material(), material);
        current = new Current<>(
                before.version() + 1,
                keepsProof(before.material(), material) ? before.proofVersion() : before.proofVersion() + 1,
                prepare(factory, material),
                material);
        if (sameProof) {
            LOG.info(
                    "other certificates are revoked, connections of their owners end: revoked={}, version={}",
                    material.revocations().count(),
                    current.version());
            return;
        }
        if (material.isBySecret()) {
            LOG.info("new connections use a new shared secret: version={}", current.version());
            return;
        }
        LOG.info(
                "new connections use new keys: subject={}, serial={}, notAfter={}, authorities={}, revoked={}, version={}",
                material.certificate().getSubjectX500Principal(),
                material.certificate().getSerialNumber().toString(16),
                material.certificate().getNotAfter().toInstant(),
                material.authorities().size(),
                material.revocations().count(),
                current.version());
    }

    private static boolean isSame(KeyMaterial before, KeyMaterial after) {
        return isSameProof(before, after) && before.revocations().equals(after.revocations());
    }

    /** A certificate that was created for a secret is always new, and proves nothing. */
    private static boolean isSameProof(KeyMaterial before, KeyMaterial after) {
        if (before.isBySecret()) {
            return before.secrets().size() == after.secrets().size()
                    && IntStream.range(0, before.secrets().size())
                            .allMatch(i -> MessageDigest.isEqual(
                                    before.secrets().get(i), after.secrets().get(i)));
        }
        return before.chain().equals(after.chain()) && before.authorities().equals(after.authorities());
    }

    /** Whether all parts that connections may have used still exist: an addition outdates no connection. */
    private static boolean keepsProof(KeyMaterial before, KeyMaterial after) {
        if (before.isBySecret()) {
            return before.secrets().stream()
                    .allMatch(
                            secret -> after.secrets().stream().anyMatch(other -> MessageDigest.isEqual(secret, other)));
        }
        return before.chain().equals(after.chain()) && after.authorities().containsAll(before.authorities());
    }

    /** Logs each problem once, not at each check. */
    private void warn(String what) {
        if (!what.equals(problem)) {
            problem = what;
            LOG.warn("the keys have changed and cannot be used, those before them stay in use: {}", what);
        }
    }

    private void remind(Instant now) {
        KeyMaterial material = current.material();
        Instant end = material.certificate().getNotAfter().toInstant();
        if (!material.isBySecret() && end.isBefore(now.plus(EXPIRES_SOON)) && now.isAfter(reminded.plus(REMINDER))) {
            reminded = now;
            LOG.warn(
                    "this process's certificate expires soon, then no peer accepts it: subject={}, notAfter={}; replace the"
                            + " file of security.certificate",
                    material.certificate().getSubjectX500Principal(),
                    end);
        }
    }

    /**
     * The keys of a new connection.
     *
     * @throws FairleadException {@code CLOSED} after {@link #close()}
     */
    Current<K> usable() {
        if (closed) {
            throw new FairleadException(FairleadException.Reason.CLOSED, "the keys are closed");
        }
        return current;
    }

    /** Whether keys are still the newest, whatever has been revoked or added. */
    boolean isNewest(Current<K> made) {
        return made.proofVersion() == current.proofVersion();
    }

    /** The current revocations. */
    Revocations revocations() {
        return current.material().revocations();
    }

    /** The number of key changes. */
    long version() {
        return current.version();
    }

    @Override
    public void close() {
        closed = true;
        files.close();
    }
}
