package io.fairlead.transport.ucx;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Finds and creates the files with the secret of a user's processes. Every user can write to the folder, and may have
 * created a file with the name; a file is used only if it belongs to this user and no other can read it.
 */
final class SecretFiles {
    private static final int KEY_LENGTH = 32;
    /** The maximum number of names that are examined; other users may have created them. */
    private static final int NAMES_MAX = 1024;

    private static final int LOCK_TRIES = 500;
    private static final long LOCK_PAUSE_NS = 1_000_000;

    private static final int REGULAR = 0100000;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final int OWNER_ONLY_MODE = REGULAR | 0600;
    private static final String ATTRIBUTES = "unix:uid,mode,dev,ino,size,ctime";

    /**
     * A file of this user, as it was read.
     *
     * @param file its path
     * @param attributes its attributes, by which a later file of the same name is recognized
     * @param key the secret
     */
    @SuppressWarnings("ArrayRecordComponent") // They are never compared.
    record Source(Path file, Map<String, Object> attributes, byte[] key) {
        /** Whether the file is still the one that was read. */
        boolean isUnchanged() {
            return attributes.equals(attributesOf(file));
        }
    }

    private final Path folder;
    private final int max;

    /**
     * Creates a finder for a folder.
     *
     * @param max maximum number of files that are read
     */
    SecretFiles(Path folder, int max) {
        this.folder = folder;
        this.max = max;
    }

    /**
     * Finds the files of this user, and creates one if there is none.
     *
     * @param known the secret to write into a new file, if this process has used one already; null for a new secret
     * @return at least one file; the first is the one to use
     */
    List<Source> findOrMake(byte @Nullable [] known) throws IOException {
        Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        String name = "fairlead-secret-" + user;
        if (isUnfinished(folder.resolve(name), user)) {
            create(name, user, known);
        }
        List<Source> own = find(name, user);
        if (own.isEmpty()) {
            create(name, user, known);
            // Another process may have been first, or have created another: all use the first file.
            own = find(name, user);
        }
        if (own.isEmpty()) {
            throw new IOException("no file " + name
                    + "* belongs to this user, and other users have taken the names; remove their files");
        }
        return own;
    }

    /** The usable files of this user: the one with the plain name first, the others in the order of their names. */
    private List<Source> find(String name, Object user) throws IOException {
        List<Path> files = new ArrayList<>();
        Path plain = folder.resolve(name);
        if (!attributesOf(plain).isEmpty()) {
            files.add(plain);
        }
        if (read(plain, user) == null) {
            try (DirectoryStream<Path> others = Files.newDirectoryStream(folder, name + "-*")) {
                int names = 0;
                for (Path other : others) {
                    if (++names > NAMES_MAX) {
                        break;
                    }
                    files.add(other);
                }
            } catch (DirectoryIteratorException failure) {
                throw failure.getCause();
            }
            Collections.sort(files);
        }
        List<Source> own = new ArrayList<>();
        for (Path file : files) {
            Source source = own.size() < max ? read(file, user) : null;
            if (source != null) {
                own.add(source);
            }
        }
        return own;
    }

    private static Map<String, Object> attributesOf(Path file) {
        try {
            return Files.readAttributes(file, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException | UnsupportedOperationException absent) {
            return Map.of();
        }
    }

    /**
     * Reads a file; null if it does not belong to this user, others may read it, it is not a regular file, or it is
     * damaged.
     */
    private static @Nullable Source read(Path file, Object user) {
        Map<String, Object> before = attributesOf(file);
        if (!isOwn(before, user)) {
            return null;
        }
        byte[] key;
        try (SeekableByteChannel in = Files.newByteChannel(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            ByteBuffer bytes = ByteBuffer.allocate(KEY_LENGTH + 1);
            while (bytes.hasRemaining() && in.read(bytes) >= 0) {
                // Until the end or one byte too many.
            }
            key = Arrays.copyOf(bytes.array(), bytes.position());
        } catch (IOException gone) {
            return null;
        }
        // If our file is removed during the read, another user's may get its name.
        Map<String, Object> after = attributesOf(file);
        boolean same = Objects.equals(before.get("ino"), after.get("ino"))
                && Objects.equals(before.get("dev"), after.get("dev"))
                && user.equals(after.get("uid"));
        return same && key.length == KEY_LENGTH ? new Source(file, after, key) : null;
    }

    /** Whether the file is empty, because a process of this user is creating it or ended before it had written it. */
    private static boolean isUnfinished(Path file, Object user) {
        Map<String, Object> found = attributesOf(file);
        return isOwn(found, user) && Objects.equals(found.get("size"), 0L);
    }

    private static boolean isOwn(Map<String, Object> found, Object user) {
        return user.equals(found.get("uid")) && Objects.equals(found.get("mode"), OWNER_ONLY_MODE);
    }

    /** Creates a file with the plain name, or if that exists, with an unpredictable suffix. */
    private void create(String name, Object user, byte @Nullable [] known) throws IOException {
        if (!make(folder.resolve(name), user, known)) {
            byte[] end = new byte[8];
            new SecureRandom().nextBytes(end);
            make(folder.resolve(name + "-" + HexFormat.of().formatHex(end)), user, known);
        }
    }

    /**
     * Creates a file, and writes the key under a lock: one of several processes writes and the others read the result.
     * False if another file has the name.
     */
    private static boolean make(Path file, Object user, byte @Nullable [] known) throws IOException {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException taken) {
            if (!isOwn(attributesOf(file), user)) {
                return false;
            }
        }
        try (FileChannel out = FileChannel.open(file, Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
                FileLock _ = lock(file, out)) {
            if (out.size() == 0) {
                out.write(ByteBuffer.wrap(known == null ? newKey() : known));
            }
            return out.size() == KEY_LENGTH;
        }
    }

    private static byte[] newKey() {
        byte[] key = new byte[KEY_LENGTH];
        new SecureRandom().nextBytes(key);
        return key;
    }

    /** Locks the file; a process holds the lock for one write. */
    private static FileLock lock(Path file, FileChannel channel) throws IOException {
        for (int i = 0; i < LOCK_TRIES; i++) {
            try {
                FileLock lock = channel.tryLock();
                if (lock != null) {
                    return lock;
                }
            } catch (OverlappingFileLockException ofThisProcess) {
                // Another thread holds it, by another object: wait for it as for another process.
            }
            LockSupport.parkNanos(LOCK_PAUSE_NS);
        }
        throw new IOException("another process of this user keeps the lock of " + file + "; end that process");
    }
}
