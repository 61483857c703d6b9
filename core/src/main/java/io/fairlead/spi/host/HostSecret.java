package io.fairlead.spi.host;

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
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signs what is meant for processes of this user on this host, and tells it from what somebody made up: addresses and keys that libraries and
 * mappings believe, and that would end the process or let a stranger read and write in it. The key is in a file that only
 * the user can read; whoever can read that could do the process any harm anyway. Thread-safe.
 *
 * <p>The file stays when the last process ends, for those that run beside it and those to come. Every signature looks first whether the file
 * is still the one that was read, by one look at its attributes. Where it was removed, the process puts its key back; where another process was first
 * with a new one, it takes that over, and goes on to accept the old one. So processes that started before and after a cleaning of the folder meet.
 *
 * <p>The folder is open to all, so anybody may be first with the name. A file of another user's is never read: a file of this user's
 * under the same name and a random end is looked for then, and made if there is none. Where processes have made several at once, each accepts all of
 * them. Under the plain name they make one, however many begin at once: an empty file of this user's is written under a lock.
 */
public final class HostSecret {
    /** Bytes of a signature. */
    public static final int LENGTH = 16;

    /** Bytes of a {@link #place}. */
    public static final int PLACE_LENGTH = 2 * Long.BYTES;

    /** What to do where {@link #problem} is not empty. */
    public static final String REMEDY = "let this user write to /dev/shm, and make room in it";

    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_LENGTH = 32;
    /** Keys that were in use before and are accepted still, and files of this user's that are read. */
    private static final int KEYS_MAX = 8;

    /** Names that are looked through, which are anybody's. */
    private static final int NAMES_MAX = 1024;

    private static final int LOCK_TRIES = 500;
    private static final long LOCK_PAUSE_NS = 1_000_000;

    private static final int REGULAR = 0100000;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final int OWNER_ONLY_MODE = REGULAR | 0600;
    private static final String ATTRIBUTES = "unix:uid,mode,dev,ino,size,ctime";
    private static final HostSecret HERE = new HostSecret(Path.of("/dev/shm"));

    /** A file of this user's as it was read. */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares these.
    private record Source(Path file, Map<String, Object> attributes, byte[] key) {
        boolean isAs(Map<String, Object> now) {
            return attributes.equals(now);
        }
    }

    private final Path folder;
    private String problem = "";
    private @Nullable Source current;
    /** Others that are accepted, the newest first. */
    private final ArrayDeque<byte[]> accepted = new ArrayDeque<>();

    private HostSecret(Path folder) {
        this.folder = folder;
    }

    /**
     * The secret of this process's user.
     *
     * @return the same at each call
     */
    public static HostSecret here() {
        return HERE;
    }

    /** The secret in a folder, made if there is none. */
    static HostSecret open(Path folder) {
        HostSecret secret = new HostSecret(folder);
        secret.refresh();
        return secret;
    }

    /**
     * Why nothing can be signed here.
     *
     * @return empty if it can
     */
    public synchronized String problem() {
        refresh();
        return problem;
    }

    /**
     * Which folder the secret is in, in a form that another process can compare with its own: two containers may have each a
     * {@code /dev/shm}, and then their users have different secrets.
     *
     * @return {@value #PLACE_LENGTH} bytes; zeroes if the folder cannot be looked at
     */
    public byte[] place() {
        ByteBuffer place = ByteBuffer.allocate(PLACE_LENGTH);
        try {
            Map<String, Object> found = Files.readAttributes(folder, "unix:dev,ino");
            for (String attribute : List.of("dev", "ino")) {
                place.putLong(((Number) Objects.requireNonNull(found.get(attribute))).longValue());
            }
        } catch (IOException | UnsupportedOperationException unknown) {
            place.clear();
        }
        return place.array();
    }

    /**
     * Why bytes are not accepted that a process of this user and host may have signed.
     *
     * @param bytes what {@link #signed} has refused
     * @param peerPlace the {@link #place} that the process names; untrusted
     * @param own what this process is to whoever reads this, such as {@code listener}
     * @param peer what the other one is
     * @return one line for both sides, with a remedy; empty if nothing is known but that the signature is wrong
     */
    public synchronized String mistrust(byte[] bytes, byte[] peerPlace, String own, String peer) {
        String ownProblem = problem();
        byte[] ownPlace = place();
        if (!ownProblem.isEmpty()) {
            return "at the " + own + " " + ownProblem + "; " + REMEDY;
        }
        if (!Arrays.equals(ownPlace, peerPlace)) {
            return "the two processes do not share " + folder
                    + ", which has the secret that processes of one user know each other by ("
                    + own + "=device " + device(ownPlace) + ", " + peer + "=device " + device(peerPlace)
                    + "); share it between the containers";
        }
        int from = Math.max(bytes.length - LENGTH, 0);
        return Arrays.equals(Arrays.copyOfRange(bytes, from, from + LENGTH), new byte[LENGTH])
                ? "the " + peer + " can keep no secret in " + folder + "; " + REMEDY
                : "";
    }

    private static String device(byte[] place) {
        return place.length < Long.BYTES
                ? "unknown"
                : "" + ByteBuffer.wrap(place).getLong();
    }

    /**
     * Signs some bytes.
     *
     * @param bytes where they are
     * @param length how many, from the first
     * @return {@value #LENGTH} bytes; zeroes, which fit nothing, if there is no secret
     */
    public synchronized byte[] sign(byte[] bytes, int length) {
        refresh();
        Source source = current;
        return source == null ? new byte[LENGTH] : sign(source.key(), bytes, length);
    }

    private static byte[] sign(byte[] key, byte[] bytes, int length) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update(bytes, 0, length);
            return Arrays.copyOf(mac.doFinal(), LENGTH);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has " + ALGORITHM, impossible);
        }
    }

    /**
     * Whether the last bytes are the signature of those before, by a process of this user on this host.
     *
     * @param bytes anybody's
     * @return false if they are too few, too
     */
    public synchronized boolean signed(byte[] bytes) {
        if (fits(bytes)) {
            return true;
        }
        // The other process may have another file, or a newer one.
        look();
        return fits(bytes);
    }

    private boolean fits(byte[] bytes) {
        Source source = current;
        return (source != null && fits(source.key(), bytes))
                || accepted.stream().anyMatch(key -> fits(key, bytes));
    }

    private static boolean fits(byte[] key, byte[] bytes) {
        int length = bytes.length - LENGTH;
        return length >= 0
                && MessageDigest.isEqual(sign(key, bytes, length), Arrays.copyOfRange(bytes, length, bytes.length));
    }

    /**
     * Bytes and their signature.
     *
     * @param bytes what to sign
     * @return a copy, {@value #LENGTH} longer
     */
    public byte[] withSignature(byte[] bytes) {
        byte[] signed = Arrays.copyOf(bytes, bytes.length + LENGTH);
        System.arraycopy(sign(bytes, bytes.length), 0, signed, bytes.length, LENGTH);
        return signed;
    }

    /** Looks for the file if it is not what it was. */
    private void refresh() {
        Source source = current;
        if (source == null || !source.isAs(attributes(source.file()))) {
            look();
        }
    }

    /** Looks for files of this user's, makes one if there is none, and takes the first. */
    private void look() {
        try {
            Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            String name = "fairlead-secret-" + user;
            if (isUnfinished(folder.resolve(name), user)) {
                create(name, user);
            }
            List<Source> mine = mine(name, user);
            if (mine.isEmpty()) {
                create(name, user);
                // Another process may have been first, or have made another: all take the first of all.
                mine = mine(name, user);
            }
            if (mine.isEmpty()) {
                throw new IOException("none of the files " + name + "* is this user's; remove those of others");
            }
            take(mine);
            problem = "";
        } catch (IOException | UnsupportedOperationException failure) {
            problem = "no secret can be kept in " + folder + ": " + failure.getMessage();
        }
    }

    private void take(List<Source> mine) {
        Source before = current;
        Source first = mine.getFirst();
        current = first;
        for (Source other : mine) {
            accept(other.key());
        }
        if (before != null) {
            accept(before.key());
        }
        accepted.removeIf(key -> Arrays.equals(key, first.key()));
    }

    private void accept(byte[] key) {
        if (accepted.stream().noneMatch(known -> Arrays.equals(known, key))) {
            accepted.addFirst(key);
            if (accepted.size() > KEYS_MAX) {
                accepted.removeLast();
            }
        }
    }

    /** The usable files of this user's, the one of the plain name first, then in the order of their names. */
    private List<Source> mine(String name, Object user) throws IOException {
        List<Path> files = new ArrayList<>();
        Path plain = folder.resolve(name);
        if (!attributes(plain).isEmpty()) {
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
        List<Source> mine = new ArrayList<>();
        for (Path file : files) {
            Source source = mine.size() < KEYS_MAX ? read(file, user) : null;
            if (source != null) {
                mine.add(source);
            }
        }
        return mine;
    }

    private static Map<String, Object> attributes(Path file) {
        try {
            return Files.readAttributes(file, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException | UnsupportedOperationException absent) {
            return Map.of();
        }
    }

    /** Null if the file is not this user's, not for this user alone, no file at all, or damaged. */
    private static @Nullable Source read(Path file, Object user) {
        Map<String, Object> before = attributes(file);
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
        // Under the name of a file of ours that goes in the middle somebody else's may come.
        Map<String, Object> after = attributes(file);
        boolean same = Objects.equals(before.get("ino"), after.get("ino"))
                && Objects.equals(before.get("dev"), after.get("dev"))
                && user.equals(after.get("uid"));
        return same && key.length == KEY_LENGTH ? new Source(file, after, key) : null;
    }

    /** Whether a process of this user is making the file, or has ended before it had written it. */
    private static boolean isUnfinished(Path file, Object user) {
        Map<String, Object> found = attributes(file);
        return isOwn(found, user) && Objects.equals(found.get("size"), 0L);
    }

    private static boolean isOwn(Map<String, Object> found, Object user) {
        return user.equals(found.get("uid")) && Objects.equals(found.get("mode"), OWNER_ONLY_MODE);
    }

    /** Under the plain name, or where that is taken under one that nobody can have foreseen. */
    private void create(String name, Object user) throws IOException {
        if (!make(folder.resolve(name), user)) {
            byte[] end = new byte[8];
            new SecureRandom().nextBytes(end);
            make(folder.resolve(name + "-" + HexFormat.of().formatHex(end)), user);
        }
    }

    /**
     * Makes a file, and writes the key under a lock: of several processes one writes, and the others find what it has written. None takes more room than
     * that of the one file. False if the name is taken by something else.
     */
    private boolean make(Path file, Object user) throws IOException {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException taken) {
            if (!isOwn(attributes(file), user)) {
                return false;
            }
        }
        try (FileChannel out = FileChannel.open(file, Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
                FileLock _ = lock(file, out)) {
            if (out.size() == 0) {
                out.write(ByteBuffer.wrap(newKey()));
            }
            return out.size() == KEY_LENGTH;
        }
    }

    /** A process that was in use of a key puts that back. */
    private byte[] newKey() {
        Source before = current;
        if (before != null) {
            return before.key();
        }
        byte[] key = new byte[KEY_LENGTH];
        new SecureRandom().nextBytes(key);
        return key;
    }

    /** Whoever has it needs it for one write. */
    private static FileLock lock(Path file, FileChannel channel) throws IOException {
        for (int i = 0; i < LOCK_TRIES; i++) {
            try {
                FileLock lock = channel.tryLock();
                if (lock != null) {
                    return lock;
                }
            } catch (OverlappingFileLockException ofThisProcess) {
                // Another thread has it, by another object: that is waited for like another process.
            }
            LockSupport.parkNanos(LOCK_PAUSE_NS);
        }
        throw new IOException("another process of this user is making " + file + " and does not go on");
    }
}
