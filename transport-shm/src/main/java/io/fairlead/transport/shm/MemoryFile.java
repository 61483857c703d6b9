package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.DeferredClose;
import io.fairlead.spi.host.AvailableMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Memory that another process of this user on this host can map too: a file in memory that is in no folder, so that it goes with its users, however
 * they end, and no size of {@code /dev/shm} bounds it. The other process finds it among the open files of its owner.
 *
 * <p>Its pages are reserved before anybody touches them, and its length is sealed: a page that is not there would end the process that touches it.
 */
final class MemoryFile implements AutoCloseable {
    /** A key: the owner's process, its descriptor there, and which file it is, since a descriptor's number may stand for another by then. */
    static final int KEY_LENGTH = Long.BYTES + Integer.BYTES + 2 * Long.BYTES;

    static final int ID_LENGTH = 2 * Long.BYTES;

    private static final String NAME = "fairlead-";
    /** The kernel lets a process look into another one only if that has no privileges that it lacks itself. */
    private static final String CLOSED = "the kernel does not let this process open what that process has open, which"
            + " may have a capability that this one lacks, or may not be dumped; start both with the same capabilities";

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Thread maker = Thread.currentThread();
    private final Arena arena;
    private final MemorySegment memory;
    /** Kept by the owner, for others to find; -1 for them. */
    private final int descriptor;

    private final byte[] key;

    private MemoryFile(Arena arena, MemorySegment memory, int descriptor, byte[] key) {
        this.arena = arena;
        this.memory = memory;
        this.descriptor = descriptor;
        this.key = key;
    }

    /**
     * Makes memory that is all zeroes.
     *
     * @param size bytes
     * @param arena whose threads may use it; closed with it, and if there is none
     * @throws IOException no room, or the kernel makes no such files
     */
    static MemoryFile create(long size, Arena arena) throws IOException {
        byte[] id = new byte[ID_LENGTH];
        RANDOM.nextBytes(id);
        Optional<String> shortage = AvailableMemory.here().shortage(size);
        if (shortage.isPresent()) {
            arena.close();
            throw new IOException(shortage.get());
        }
        int descriptor = Libc.createMemoryFile(NAME + HexFormat.of().formatHex(id));
        try {
            check("memfd_create", descriptor);
            long length = Math.addExact(size, ID_LENGTH);
            check("fallocate", Libc.reserve(descriptor, length));
            check("fcntl", Libc.sealLength(descriptor));
            MemorySegment all = map(descriptor, length, arena);
            MemorySegment.copy(id, 0, all, JAVA_BYTE, size, ID_LENGTH);
            byte[] key = ByteBuffer.allocate(KEY_LENGTH)
                    .putLong(ProcessHandle.current().pid())
                    .putInt(descriptor)
                    .put(id)
                    .array();
            return new MemoryFile(arena, all.asSlice(0, size), descriptor, key);
        } catch (IOException | RuntimeException | Error failure) {
            arena.close();
            if (descriptor >= 0) {
                Libc.close(descriptor);
            }
            throw failure;
        }
    }

    private static MemorySegment map(int descriptor, long length, Arena arena) throws IOException {
        long address = check("mmap", Libc.map(descriptor, length));
        return MemorySegment.ofAddress(address).reinterpret(length, arena, _ -> Libc.unmap(address, length));
    }

    private static long check(String function, long answer) throws IOException {
        if (answer < 0) {
            throw new IOException(function + ": errno=" + -answer);
        }
        return answer;
    }

    /** The number of the process whose file a key is for. */
    static int process(byte[] key) {
        return (int) ByteBuffer.wrap(key).getLong();
    }

    /** Whether that is a number that a process can have. */
    static boolean isOfProcess(byte[] key) {
        long number = ByteBuffer.wrap(key).getLong();
        return number > 0 && number <= Integer.MAX_VALUE;
    }

    /**
     * Maps a process's memory, for the calling thread.
     *
     * @throws IOException its owner has let go of it or has ended, it is not what it says, it is another user's, or this process may not open it. The message
     *     does not tell what else there is under the names in the key: a peer reads it, who may have made them up
     */
    static MemoryFile open(byte[] key, long size) throws IOException {
        Arena arena = Arena.ofConfined();
        int descriptor = -1;
        try {
            ByteBuffer in = ByteBuffer.wrap(key);
            Path process = Path.of("/proc/" + in.getLong());
            Path link = process.resolve("fd/" + in.getInt());
            byte[] id = new byte[ID_LENGTH];
            in.get(id);
            // The kernel says whose both are; a peer may say what it likes.
            if (owner(process) != owner(Path.of("/proc/self"))) {
                throw new IOException(process + " is a process of another user");
            }
            if (!nameOf(link).equals("/memfd:" + NAME + HexFormat.of().formatHex(id) + " (deleted)")) {
                throw new IOException(link + " is not the file that the key names");
            }
            long length = Math.addExact(size, ID_LENGTH);
            descriptor = Libc.open(link.toString());
            check("open " + link, descriptor);
            if (owner(Path.of("/proc/self/fd/" + descriptor)) != Libc.user()) {
                throw new IOException(link + " is a file of another user");
            }
            if ((Libc.seals(descriptor) & Libc.SEALED_LENGTH) != Libc.SEALED_LENGTH
                    || Libc.length(descriptor) != length) {
                throw new IOException(link + " is not sealed at a length of " + length + " bytes");
            }
            MemorySegment all = map(descriptor, length, arena);
            if (!Arrays.equals(all.asSlice(size).toArray(JAVA_BYTE), id)) {
                throw new IOException(link + " became another file");
            }
            return new MemoryFile(arena, all.asSlice(0, size), -1, key);
        } catch (BufferUnderflowException cutShort) {
            arena.close();
            throw new IOException("the key is cut short", cutShort);
        } catch (IOException | RuntimeException | Error failure) {
            arena.close();
            throw failure;
        } finally {
            if (descriptor >= 0) {
                Libc.close(descriptor);
            }
        }
    }

    private static String nameOf(Path link) throws IOException {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (NoSuchFileException closed) {
            return "";
        } catch (AccessDeniedException denied) {
            throw new AccessDeniedException(link.toString(), null, CLOSED);
        }
    }

    private static int owner(Path path) throws IOException {
        try {
            return (int) Files.getAttribute(path, "unix:uid");
        } catch (NoSuchFileException ended) {
            throw new IOException(path + " is not there", ended);
        }
    }

    MemorySegment memory() {
        return memory;
    }

    /** Where it is in this process. */
    long address() {
        return memory.address();
    }

    /** By which others {@link #open} it. */
    byte[] key() {
        return key;
    }

    @Override
    public void close() {
        CloseSteps.runAll(this::unmap, () -> {
            if (descriptor >= 0) {
                Libc.close(descriptor);
            }
        });
    }

    private void unmap() {
        try {
            DeferredClose.close(arena);
        } catch (WrongThreadException confined) {
            if (maker.isAlive()) {
                throw confined;
            }
            // No thread can use or close the arena any more.
            Libc.unmap(memory.address(), memory.byteSize() + ID_LENGTH);
        }
    }
}
