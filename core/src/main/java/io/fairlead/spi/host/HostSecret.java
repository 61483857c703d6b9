package io.fairlead.spi.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    /** Keys that were in use before and are accepted still, and files of this user's that are read. */
    private static final int KEYS_MAX = 8;

    private static final HostSecret HERE = new HostSecret(Path.of("/dev/shm"));

    private final Path folder;
    private final SecretFiles files;
    private String problem = "";
    private SecretFiles.@Nullable Source current;
    /** Others that are accepted, the newest first. */
    private final ArrayDeque<byte[]> accepted = new ArrayDeque<>();

    private HostSecret(Path folder) {
        this.folder = folder;
        this.files = new SecretFiles(folder, KEYS_MAX);
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
        SecretFiles.Source source = current;
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
        SecretFiles.Source source = current;
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
        SecretFiles.Source source = current;
        if (source == null || !source.isUnchanged()) {
            look();
        }
    }

    /** Looks for files of this user's, makes one if there is none, and takes the first. */
    private void look() {
        try {
            SecretFiles.Source before = current;
            List<SecretFiles.Source> own = files.findOrMake(before == null ? null : before.key());
            current = own.getFirst();
            own.forEach(source -> accept(source.key()));
            if (before != null) {
                accept(before.key());
            }
            byte[] first = own.getFirst().key();
            accepted.removeIf(key -> Arrays.equals(key, first));
            problem = "";
        } catch (IOException | UnsupportedOperationException failure) {
            problem = "no secret can be kept in " + folder + ": " + failure.getMessage();
        }
    }

    private void accept(byte[] key) {
        if (accepted.stream().noneMatch(known -> Arrays.equals(known, key))) {
            accepted.addFirst(key);
            if (accepted.size() > KEYS_MAX) {
                accepted.removeLast();
            }
        }
    }
}
