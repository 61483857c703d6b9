package io.fairlead.transport.shm;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where this process listens with its {@link LocalSocket}s, and finds those of its peers: under names of the network
 * namespace, or in a folder that processes of several network namespaces have in common. Thread-safe.
 *
 * @param folder null for names of the network namespace
 * @param isForAll whether processes of other users may connect to sockets in the folder
 */
record SocketPlace(@Nullable Path folder, boolean isForAll) {
    private static final Logger LOG = LoggerFactory.getLogger(SocketPlace.class);

    private static final String PREFIX = "fairlead-";
    /** A file that nobody listens to yet. */
    private static final String NEW_PREFIX = ".fairlead-";

    private static final Pattern NAME = Pattern.compile("\\.?fairlead-[0-9a-f]{" + 2 * SocketId.LENGTH + "}");

    private static final int TYPE_BITS = 0170000;
    private static final int SOCKET = 0140000;

    private static final Duration NEW_MAX = Duration.ofHours(1);

    static final SocketPlace NAMESPACE = new SocketPlace(null, false);

    /** A socket that listens, and its file. */
    record Listening(LocalSocket socket, @Nullable Path file) implements AutoCloseable {
        @Override
        public void close() {
            socket.close();
            if (file != null) {
                delete(file);
            }
        }
    }

    /**
     * A folder.
     *
     * @throws IOException if it is none, or its path is too long for a socket
     */
    static SocketPlace of(Path folder, boolean isForAll) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IOException("no such folder: " + folder + "; create it, or mount a volume there");
        }
        SocketPlace place = new SocketPlace(folder, isForAll);
        LocalSocket.Name _ = LocalSocket.Name.ofFile(
                place.file(NEW_PREFIX, SocketId.random()).toString());
        place.clean();
        return place;
    }

    boolean isFolder() {
        return folder != null;
    }

    private Path file(String prefix, SocketId id) {
        Path in = folder;
        if (in == null) {
            throw new IllegalStateException("there is no folder");
        }
        return in.resolve(prefix + id);
    }

    /** Listens under an id. */
    Listening listen(SocketId id, int backlogMax) throws IOException {
        if (folder == null) {
            return new Listening(LocalSocket.listen(LocalSocket.Name.inNamespace(PREFIX + id), backlogMax), null);
        }
        Path file = file(PREFIX, id);
        Path fresh = file(NEW_PREFIX, id);
        LocalSocket socket = LocalSocket.listen(LocalSocket.Name.ofFile(fresh.toString()), backlogMax);
        try {
            if (isForAll) {
                allowAll(fresh);
            }
            // A file of the final name without a listener is the remains of a process.
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            return new Listening(socket, file);
        } catch (IOException | RuntimeException | Error failure) {
            socket.close();
            delete(fresh);
            throw failure;
        }
    }

    /**
     * Lets every user connect to a socket of this process. Whoever may write to the folder may have put another file in
     * its place by now: permissions are set by a descriptor, once it is known to name a socket of this user.
     */
    static void allowAll(Path file) throws IOException {
        int descriptor = Libc.openPath(file.toString());
        if (descriptor < 0) {
            throw new IOException("open: errno=" + -descriptor);
        }
        try {
            Path opened = Path.of("/proc/self/fd/" + descriptor);
            if (((int) Files.getAttribute(opened, "unix:mode") & TYPE_BITS) != SOCKET
                    || (int) Files.getAttribute(opened, "unix:uid") != Libc.user()
                    || (int) Files.getAttribute(opened, "unix:nlink") != 1) {
                throw new IOException("the socket was replaced by another file: file=" + file
                        + "; let only trusted processes write to the folder");
            }
            Files.setPosixFilePermissions(opened, PosixFilePermissions.fromString("rw-rw-rw-"));
        } finally {
            Libc.close(descriptor);
        }
    }

    /** Connects to the process that listens under an id. */
    LocalSocket connect(SocketId id) throws IOException {
        return LocalSocket.connect(
                folder == null
                        ? LocalSocket.Name.inNamespace(PREFIX + id)
                        : LocalSocket.Name.ofFile(file(PREFIX, id).toString()));
    }

    /** Deletes what processes have left that were killed. */
    private void clean() {
        Path in = folder;
        if (in == null) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(in, "{" + PREFIX + "," + NEW_PREFIX + "}*")) {
            for (Path file : files) {
                if (isSocket(file) && isLeft(file)) {
                    delete(file);
                }
            }
        } catch (IOException unreadable) {
            LOG.debug("folder of sockets is not cleaned: folder={}", in, unreadable);
        }
    }

    /** Whether it is a socket that a process made here, and no other file with such a name. */
    private static boolean isSocket(Path file) {
        try {
            return NAME.matcher(file.getFileName().toString()).matches()
                    && ((int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE_BITS) == SOCKET;
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }

    private static boolean isLeft(Path file) {
        try {
            if (file.getFileName().toString().startsWith(NEW_PREFIX)) {
                Instant since = Files.getLastModifiedTime(file).toInstant();
                return since.isBefore(Instant.now().minus(NEW_MAX));
            }
            LocalSocket.connect(LocalSocket.Name.ofFile(file.toString())).close();
            return false;
        } catch (LocalSocket.RefusedException refused) {
            return refused.isNobody();
        } catch (IOException unknown) {
            return false;
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (NoSuchFileException cleaned) {
            LOG.debug("socket was deleted by another process: file={}", file);
        } catch (IOException refused) {
            LOG.debug("socket cannot be deleted: file={}", file, refused);
        }
    }
}
