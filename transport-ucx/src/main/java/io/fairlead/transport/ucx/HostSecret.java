package io.fairlead.transport.ucx;

import io.fairlead.spi.HmacKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A secret shared by the processes of one user on one host, which sign addresses for each other with it. UCX uses an
 * address of shared memory without checks, and a forged one ends the process. A {@link WireUpSeal}, not this, binds
 * data to a connection. Thread-safe.
 *
 * <p>The secret is in a file in {@code /dev/shm} that only the user can read. The file stays when the last process
 * ends. Before each signature the process checks the file's attributes for a change. If the file was removed, the
 * process writes its secret again. If another process was first and wrote a new secret, this process uses that one, and
 * still accepts signatures of the old one. Processes that started before the folder was cleaned therefore accept
 * processes that started after.
 *
 * <p>Every user can write to the folder, and so create a file with this name first. A file of another user is never
 * read: the process then uses a file of this user with the same name and a random suffix, and creates it if there is
 * none. If several processes have created such files at the same time, each accepts the secrets of all. Under the plain
 * name there is only one file, because processes write it under a lock.
 */
final class HostSecret {
    /** The length of a signature in bytes. */
    static final int LENGTH = 16;

    /** The length of a {@link #place} in bytes. */
    static final int PLACE_LENGTH = 2 * Long.BYTES;

    /** The remedy for a {@link #problem}, for the end of a message. */
    static final String REMEDY = "let this user write to /dev/shm, and make room in it";

    /** The maximum number of accepted older keys, and of this user's files that are read. */
    private static final int KEYS_MAX = 8;

    private static final int INTERRUPTS_MAX = 8;

    private static final HostSecret HERE = new HostSecret(Path.of("/dev/shm"));

    private final Path folder;
    private final SecretFiles files;
    private String problem = "";
    /** The thread was interrupted during a check; the interrupt is restored. */
    private boolean interruptedInside;

    private SecretFiles.@Nullable Source current;
    /** Other accepted keys, newest first. */
    private final ArrayDeque<byte[]> accepted = new ArrayDeque<>();

    private HostSecret(Path folder) {
        this.folder = folder;
        this.files = new SecretFiles(folder, KEYS_MAX);
    }

    /**
     * The secret of this process's user on this host.
     *
     * @return the same object at each call
     */
    static HostSecret here() {
        return HERE;
    }

    /** Reads the secret in a folder, and creates it if there is none. */
    static HostSecret open(Path folder) {
        HostSecret secret = new HostSecret(folder);
        secret.refresh();
        return secret;
    }

    /**
     * Why this process can sign nothing, such as an unwritable folder.
     *
     * @return the problem; empty if there is none
     */
    synchronized String problem() {
        refresh();
        return problem;
    }

    /**
     * The identity of the folder that holds the secret, which another process compares with its own. Two containers may have a {@code /dev/shm}
     * each; their processes then have different secrets.
     *
     * @return {@value #PLACE_LENGTH} bytes; zeroes if the folder's attributes cannot be read
     */
    byte[] place() {
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
     * Explains why the signature of a peer on this host is not valid.
     *
     * @param bytes the bytes that {@link #signed} has refused
     * @param peerPlace the {@link #place} that the peer has sent; untrusted
     * @param own the role of this process in the message, such as {@code listener}
     * @param peer the role of the peer
     * @return one line for the logs of both sides, with a remedy; empty if no cause is known
     */
    synchronized String mistrust(byte[] bytes, byte[] peerPlace, String own, String peer) {
        String ownProblem = problem();
        byte[] ownPlace = place();
        if (!ownProblem.isEmpty()) {
            return "at the " + own + " " + ownProblem + "; " + REMEDY;
        }
        if (!Arrays.equals(ownPlace, peerPlace)) {
            return "the two processes do not share " + folder
                    + ", where the secret is by which processes of one user recognize each other ("
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
     * Signs bytes.
     *
     * @param bytes the array that holds the bytes
     * @param length how many to sign, from the first
     * @return the signature, {@value #LENGTH} bytes; zeroes, which are never valid, if there is no secret
     */
    synchronized byte[] sign(byte[] bytes, int length) {
        refresh();
        SecretFiles.Source source = current;
        return source == null ? new byte[LENGTH] : hmac(source.key()).sign(bytes, length);
    }

    private static HmacKey hmac(byte[] key) {
        return new HmacKey(key, LENGTH);
    }

    /**
     * Whether bytes end with a valid signature: one that a process of this user on this host has made of the bytes before it.
     *
     * @param bytes data and signature; untrusted
     * @return true if the signature is valid; false also if there are too few bytes
     */
    synchronized boolean signed(byte[] bytes) {
        if (fits(bytes)) {
            return true;
        }
        // The other process may have another file, or a newer one.
        look();
        return fits(bytes);
    }

    private boolean fits(byte[] bytes) {
        SecretFiles.Source source = current;
        return (source != null && hmac(source.key()).isSigned(bytes))
                || accepted.stream().anyMatch(key -> hmac(key).isSigned(bytes));
    }

    /**
     * Appends the signature of bytes to them.
     *
     * @param bytes the bytes to sign
     * @return a copy that is {@value #LENGTH} bytes longer
     */
    byte[] withSignature(byte[] bytes) {
        byte[] signed = Arrays.copyOf(bytes, bytes.length + LENGTH);
        System.arraycopy(sign(bytes, bytes.length), 0, signed, bytes.length, LENGTH);
        return signed;
    }

    /** Looks for the file again if it has changed since it was read. */
    private void refresh() {
        SecretFiles.Source source = current;
        if (source == null || !source.isUnchanged()) {
            look();
        }
    }

    /** Finds the files of this user, makes one if there is none, and uses the first. */
    private void look() {
        // An interrupt of the thread closes the channel that it reads a file with, and says nothing about the file.
        boolean interrupted = Thread.interrupted();
        try {
            SecretFiles.Source before = current;
            List<SecretFiles.Source> own = findOrMake(before == null ? null : before.key());
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
        } finally {
            if (interrupted || interruptedInside) {
                interruptedInside = false;
                Thread.currentThread().interrupt();
            }
        }
    }

    private List<SecretFiles.Source> findOrMake(byte @Nullable [] known) throws IOException {
        for (int i = 1; ; i++) {
            try {
                List<SecretFiles.Source> own = files.findOrMake(known);
                if (i == INTERRUPTS_MAX || !Thread.interrupted()) {
                    return own;
                }
            } catch (IOException failure) {
                if (i == INTERRUPTS_MAX || !Thread.interrupted()) {
                    throw failure;
                }
            }
            // A file may have been left out because of it.
            interruptedInside = true;
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
