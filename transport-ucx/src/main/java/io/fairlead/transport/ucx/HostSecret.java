package io.fairlead.transport.ucx;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signs what UCX made for processes of this user on this host, and tells it from what somebody made up. UCX believes addresses and
 * keys: made-up ones end the process in an assertion, or let it read and write anywhere in itself. The key is in a file that only
 * the user can read; whoever can read that could do the process any harm anyway.
 */
final class HostSecret {
    /** Bytes of a signature. */
    static final int LENGTH = 16;

    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_LENGTH = 32;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final HostSecret HERE = open(Path.of("/dev/shm"));

    private final String problem;
    private final byte @Nullable [] key;

    private HostSecret(String problem, byte @Nullable [] key) {
        this.problem = problem;
        this.key = key;
    }

    /** The secret of this process's user. */
    static HostSecret here() {
        return HERE;
    }

    /** The secret in a folder, made if there is none. */
    static HostSecret open(Path folder) {
        try {
            Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            Path file = folder.resolve("fairlead-secret-" + user);
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                create(file);
            }
            if (!user.equals(Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS))
                    || !Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS)
                            .equals(OWNER_ONLY)) {
                return new HostSecret(file + " is another user's, or others can read it; remove it", null);
            }
            byte[] key = read(file);
            return key.length == KEY_LENGTH
                    ? new HostSecret("", key)
                    : new HostSecret(file + " is damaged: length=" + key.length + " bytes; remove it", null);
        } catch (IOException | UnsupportedOperationException failure) {
            return new HostSecret("no secret can be kept in " + folder + ": " + failure, null);
        }
    }

    /** Complete at once, by linking, so that no other process reads half of it; the first one wins. */
    private static void create(Path file) throws IOException {
        byte[] key = new byte[KEY_LENGTH];
        new SecureRandom().nextBytes(key);
        FileAttribute<?> ownerOnly = PosixFilePermissions.asFileAttribute(OWNER_ONLY);
        Path draft = Files.createTempFile(Objects.requireNonNull(file.getParent()), "fairlead-", ".draft", ownerOnly);
        try {
            Files.write(draft, key);
            Files.createLink(file, draft);
        } catch (FileAlreadyExistsException otherWasFirst) {
            // Its secret is as good.
        } finally {
            Files.delete(draft);
        }
    }

    private static byte[] read(Path file) throws IOException {
        try (SeekableByteChannel in = Files.newByteChannel(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            ByteBuffer bytes = ByteBuffer.allocate(KEY_LENGTH + 1);
            while (bytes.hasRemaining() && in.read(bytes) >= 0) {
                // Until the end or one byte too many.
            }
            return Arrays.copyOf(bytes.array(), bytes.position());
        }
    }

    /** Why nothing can be signed here; empty if it can. */
    String problem() {
        return problem;
    }

    /** The signature of some bytes; zeroes, which fit nothing, if there is no secret. */
    byte[] sign(byte[] bytes, int length) {
        if (key == null) {
            return new byte[LENGTH];
        }
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update(bytes, 0, length);
            return Arrays.copyOf(mac.doFinal(), LENGTH);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has " + ALGORITHM, impossible);
        }
    }

    /** Whether the last bytes are the signature of those before. */
    boolean signed(byte[] bytes) {
        int length = bytes.length - LENGTH;
        return key != null
                && length >= 0
                && MessageDigest.isEqual(sign(bytes, length), Arrays.copyOfRange(bytes, length, bytes.length));
    }

    /** Bytes and their signature. */
    byte[] withSignature(byte[] bytes) {
        byte[] signed = Arrays.copyOf(bytes, bytes.length + LENGTH);
        System.arraycopy(sign(bytes, bytes.length), 0, signed, bytes.length, LENGTH);
        return signed;
    }
}
