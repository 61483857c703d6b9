package io.fairlead.transport.shm;

import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.DeferredClose;
import io.fairlead.spi.host.AvailableMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Memory that this process shares with others: an unnamed file in memory, whose descriptor a {@link LocalSocket} passes.
 * It is freed with its users, however they end, and is not limited by the size of {@code /dev/shm}.
 *
 * <p>Its pages are reserved before the first access, and its length is sealed: a missing page would kill the process
 * that accesses it.
 */
final class MemoryFile implements AutoCloseable {
    private static final String NAME = "fairlead";

    private final Thread maker = Thread.currentThread();
    private final Arena arena;
    private final MemorySegment memory;
    private final boolean writable;
    /** -1 once it is closed. */
    private int descriptor;

    private MemoryFile(Arena arena, MemorySegment memory, boolean writable, int descriptor) {
        this.arena = arena;
        this.memory = memory;
        this.writable = writable;
        this.descriptor = descriptor;
    }

    /**
     * Creates memory filled with zeroes, which whoever gets its descriptor can read and write.
     *
     * @param size bytes
     * @param arena threads that may use it are the arena's; closed with it, also on failure
     * @throws IOException if there is no memory, or the kernel supports no such files
     */
    static MemoryFile create(long size, Arena arena) throws IOException {
        return create(size, arena, 0);
    }

    /**
     * The same, but only this mapping can ever be written: the kernel refuses a second one to any process, this one
     * included.
     *
     * @throws IOException also before Linux 5.1, which cannot refuse that
     */
    static MemoryFile createForReaders(long size, Arena arena) throws IOException {
        return create(size, arena, Libc.SEALED_CONTENT);
    }

    private static MemoryFile create(long size, Arena arena, int seals) throws IOException {
        int descriptor = -1;
        try {
            descriptor = reserve(size);
            MemorySegment memory = segment(check("mmap", Libc.map(descriptor, size)), size, arena);
            check("fcntl", Libc.seal(descriptor, Libc.SEALED_LENGTH | Libc.SEALED_SEALS | seals));
            return new MemoryFile(arena, memory, true, descriptor);
        } catch (IOException | RuntimeException | Error failure) {
            arena.close();
            if (descriptor >= 0) {
                Libc.close(descriptor);
            }
            throw failure;
        }
    }

    /**
     * Creates memory as {@link #create} does, to be mapped by {@link #mapOther} and used by its address alone.
     *
     * @return its descriptor, the caller's
     */
    static int createUnmapped(long size) throws IOException {
        int descriptor = reserve(size);
        try {
            check("fcntl", Libc.seal(descriptor, Libc.SEALED_LENGTH | Libc.SEALED_SEALS));
            return descriptor;
        } catch (IOException | RuntimeException | Error failure) {
            Libc.close(descriptor);
            throw failure;
        }
    }

    /** Creates a file with all of its pages. */
    private static int reserve(long size) throws IOException {
        Optional<String> shortage = AvailableMemory.here().shortage(size);
        if (shortage.isPresent()) {
            throw new IOException(shortage.get());
        }
        int descriptor = Libc.createMemoryFile(NAME);
        check("memfd_create", descriptor);
        try {
            check("fallocate", Libc.reserve(descriptor, size));
            return descriptor;
        } catch (IOException | RuntimeException | Error failure) {
            Libc.close(descriptor);
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

    /**
     * Maps a process's memory for the calling thread, writable if its owner allows that.
     *
     * @param descriptor as received; untrusted, and still the caller's
     * @throws IOException if it is no memory file, or not one of this length
     */
    static MemoryFile open(int descriptor, long size) throws IOException {
        checkBacked(descriptor, size);
        long address = Libc.map(descriptor, size);
        boolean writable = !isRefused(address);
        if (!writable) {
            address = Libc.mapReadOnly(descriptor, size);
        }
        check("mmap", address);
        Arena arena = Arena.ofConfined();
        try {
            return new MemoryFile(arena, segment(address, size, arena), writable, -1);
        } catch (RuntimeException | Error failure) {
            Libc.unmap(address, size);
            throw failure;
        }
    }

    /** A file may be sealed, or its descriptor read-only. */
    private static boolean isRefused(long answer) {
        return answer == -Libc.NO_PERMISSION || answer == -Libc.NO_ACCESS;
    }

    /**
     * Maps memory that is used by its address alone; {@link #unmapOther} follows.
     *
     * @param descriptor as received; untrusted, and still the caller's
     * @return its address
     * @throws IOException if it is no memory file, or not one of this length, or must not be written
     */
    static long mapOther(int descriptor, long size) throws IOException {
        checkBacked(descriptor, size);
        return check("mmap", Libc.map(descriptor, size));
    }

    /**
     * Maps memory of {@link #createUnmapped} that is used by its address alone, behind memory of this process alone.
     *
     * @param before how much comes before, in bytes, a multiple of every page size
     * @return the address of what comes before; {@link #unmapOther} of both together follows
     */
    static long mapBehind(long before, int descriptor, long size) throws IOException {
        long address = check("mmap", Libc.mapPrivate(before + size));
        try {
            check("mmap", Libc.mapOver(address + before, descriptor, size));
            return address;
        } catch (IOException | RuntimeException | Error failure) {
            Libc.unmap(address, before + size);
            throw failure;
        }
    }

    /**
     * A page that cannot be backed would kill this process at its next access. So the file cannot shrink, has all of its
     * pages at this moment, and these are not of a pool that may be empty. A peer that frees pages later makes this
     * process pay for them at its next access.
     */
    private static void checkBacked(int descriptor, long size) throws IOException {
        int seals = Libc.seals(descriptor);
        // First: other files may wait when they are asked for their length.
        if (seals < 0) {
            throw new IOException("the peer has passed no memory: errno=" + -seals);
        }
        long length = Libc.length(descriptor);
        if ((seals & Libc.SEALED_LENGTH) != Libc.SEALED_LENGTH || length != size) {
            throw new IOException("the peer's memory is not sealed at its length: length=" + length + ", expected="
                    + size + " bytes, seals=" + seals);
        }
        if (!Libc.hasOrdinaryPages(descriptor)) {
            throw new IOException("the peer's memory has no ordinary pages");
        }
        long reserved = Libc.reserved(descriptor);
        if (reserved < size) {
            throw new IOException(
                    "the peer's memory has not all of its pages: reserved=" + reserved + ", length=" + size + " bytes");
        }
    }

    /** Unmaps a process's memory; nothing may access it any more. */
    static void unmapOther(long address, long size) {
        Libc.unmap(address, size);
    }

    MemorySegment memory() {
        return memory;
    }

    /** Its address in this process. */
    long address() {
        return memory.address();
    }

    /** Whether this mapping may be written: a store into another one kills the process. */
    boolean isWritable() {
        return writable;
    }

    /** The descriptor to pass; -1 once it is closed. */
    int descriptor() {
        return descriptor;
    }

    /** Closes the descriptor of the creator, who needs it no more to pass it; the memory stays. */
    void closeDescriptor() {
        int open = descriptor;
        if (open >= 0) {
            descriptor = -1;
            Libc.close(open);
        }
    }

    @Override
    public void close() {
        CloseSteps.runAll(this::unmap, this::closeDescriptor);
    }

    private void unmap() {
        try {
            DeferredClose.close(arena);
        } catch (WrongThreadException confined) {
            if (maker.isAlive()) {
                throw confined;
            }
            // No thread can use or close the arena any more.
            Libc.unmap(memory.address(), memory.byteSize());
        }
    }
}
