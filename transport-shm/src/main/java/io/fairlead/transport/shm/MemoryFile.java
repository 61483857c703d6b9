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
 * Memory that another process of this user on this host can map: an unnamed file in memory. It is freed with its users,
 * however they end, and is not limited by the size of {@code /dev/shm}. The other process finds it among the owner's
 * open files.
 *
 * <p>Its pages are reserved before the first access, and its length is sealed: a missing page would kill the process
 * that accesses it.
 */
final class MemoryFile implements AutoCloseable {
    /**
     * A key: the owner's process, its descriptor there, and the file's identity, because the descriptor may refer to
     * another file later.
     */
    static final int KEY_LENGTH = Long.BYTES + Integer.BYTES + 2 * Long.BYTES;

    static final int ID_LENGTH = 2 * Long.BYTES;

    private static final String NAME = "fairlead-";
    /** The kernel lets a process inspect another one only if that has no privileges that it lacks. */
    private static final String CLOSED = "the kernel does not let this process open what that process has open, which"
            + " may have a capability that this one lacks, or may not be dumped; start both with the same capabilities";

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Thread maker = Thread.currentThread();
    private final Arena arena;
    private final MemorySegment memory;
    /** Kept open by the owner, for others to find; -1 for them. */
    private final int descriptor;

    private final byte[] key;

    private MemoryFile(Arena arena, MemorySegment memory, int descriptor, byte[] key) {
        this.arena = arena;
        this.memory = memory;
        this.descriptor = descriptor;
        this.key = key;
    }

    /**
     * Creates memory filled with zeroes.
     *
     * @param size bytes
     * @param arena threads that may use it are the arena's; closed with it, also on failure
     * @throws IOException if there is no memory, or the kernel supports no such files
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
            MemorySegment all = segment(check("mmap", Libc.map(descriptor, length)), length, arena);
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

    private static MemorySegment segment(long address, long length, Arena arena) {
        return MemorySegment.ofAddress(address).reinterpret(length, arena, _ -> Libc.unmap(address, length));
    }

    private static long check(String function, long answer) throws IOException {
        if (answer < 0) {
            throw new IOException(function + ": errno=" + -answer);
        }
        return answer;
    }

    /** The process id in a key. */
    static int process(byte[] key) {
        return (int) ByteBuffer.wrap(key).getLong();
    }

    /** Whether a key has a valid process id. */
    static boolean isOfProcess(byte[] key) {
        long number = ByteBuffer.wrap(key).getLong();
        return number > 0 && number <= Integer.MAX_VALUE;
    }

    /**
     * Maps a process's memory, for the calling thread.
     *
     * @throws IOException if its owner has freed it or has ended, it is not the described file, it belongs to another
     *     user, or this process may not open it. The message does not reveal what the names in the key refer to: a peer
     *     reads it, and may have invented them
     */
    static MemoryFile open(byte[] key, long size) throws IOException {
        Arena arena = Arena.ofConfined();
        try {
            MemorySegment all = segment(mapOther(key, size), size + ID_LENGTH, arena);
            return new MemoryFile(arena, all.asSlice(0, size), -1, key);
        } catch (IOException | RuntimeException | Error failure) {
            arena.close();
            throw failure;
        }
    }

    /**
     * The same for memory that is used by its address alone; {@link #unmapOther} follows.
     *
     * @return its address
     * @throws IOException as {@link #open}
     */
    static long mapOther(byte[] key, long size) throws IOException {
        int descriptor = -1;
        long address = -1;
        try {
            ByteBuffer in = ByteBuffer.wrap(key);
            Path process = Path.of("/proc/" + in.getLong());
            Path link = process.resolve("fd/" + in.getInt());
            byte[] id = new byte[ID_LENGTH];
            in.get(id);
            // Compare the owners reported by the kernel; a peer's data is untrusted.
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
            address = check("mmap", Libc.map(descriptor, length));
            byte[] found = MemorySegment.ofAddress(address + size)
                    .reinterpret(ID_LENGTH)
                    .toArray(JAVA_BYTE);
            if (!Arrays.equals(found, id)) {
                throw new IOException(link + " became another file");
            }
            return address;
        } catch (BufferUnderflowException cutShort) {
            throw new IOException("the key is cut short", cutShort);
        } catch (IOException | RuntimeException | Error failure) {
            if (address >= 0) {
                unmapOther(address, size);
            }
            throw failure;
        } finally {
            if (descriptor >= 0) {
                Libc.close(descriptor);
            }
        }
    }

    /** Unmaps a process's memory; nothing may access it any more. */
    static void unmapOther(long address, long size) {
        Libc.unmap(address, size + ID_LENGTH);
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

    /** Its address in this process. */
    long address() {
        return memory.address();
    }

    /** The key with which others {@link #open} it. */
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
