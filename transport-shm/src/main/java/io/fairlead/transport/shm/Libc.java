package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * The C library's calls that create, find and map shared memory. The numbers are Linux's, which are the same on x86-64
 * and aarch64; every function is in glibc and in musl. Each returns the C function's result, or the negated
 * error number.
 */
final class Libc {
    static final int NO_PERMISSION = 1;
    static final int NO_SUCH_PROCESS = 3;
    static final int BAD_ADDRESS = 14;
    static final int NO_SUCH_CALL = 38;
    private static final int INTERRUPTED = 4;
    private static final int INVALID = 22;

    /** Flags of a memory file that fix its length. */
    static final int SEALED_LENGTH = 0x1 | 0x2 | 0x4;

    private static final int CLOSE_ON_EXEC = 0x1;
    private static final int ALLOW_SEALING = 0x2;
    /** Linux 6.3; earlier versions do not know it, and later ones may require it. */
    private static final int NEVER_EXECUTED = 0x8;

    private static final int OPEN_FLAGS = 0x2 | 0x80000;
    private static final int ADD_SEALS = 1033;
    private static final int GET_SEALS = 1034;
    private static final int TO_THE_END = 2;
    private static final int READ_AND_WRITE = 0x1 | 0x2;
    private static final int MAP_SHARED = 0x1;
    private static final int SET_TRACER = 0x59616d61;
    private static final long ANY_TRACER = -1;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO = STATE.byteOffset(PathElement.groupElement("errno"));

    /**
     * All functions are called in one form, because the linker generates code for each form, which takes milliseconds:
     * the numbers and addresses that they take, in 64 bits each, and memory that the linker keeps alive during the
     * call. Both processors pass all of these so that a function with fewer or narrower parameters finds its own.
     */
    private static final FunctionDescriptor FORM =
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS);

    private static final Function MEMFD_CREATE = Function.ofInt("memfd_create");
    private static final Function FALLOCATE = Function.ofInt("fallocate");
    private static final Function FCNTL = Function.ofInt("fcntl");
    private static final Function OPEN = Function.ofInt("open");
    private static final Function LSEEK = Function.ofLong("lseek");
    private static final Function MMAP = Function.ofLong("mmap");
    private static final Function MUNMAP = Function.ofInt("munmap");
    private static final Function CLOSE = Function.ofInt("close");
    private static final Function GETEUID = Function.ofInt("geteuid");
    private static final Function PRCTL = Function.ofInt("prctl");

    private Libc() {}

    /**
     * A function that sets {@code errno}.
     *
     * @param handle takes a segment for {@code errno}, and the parameters of {@link #FORM}
     * @param bits the size of its result; the rest of the register is undefined
     */
    private record Function(MethodHandle handle, int bits) {
        static Function ofInt(String name) {
            return new Function(telling(name), Integer.SIZE);
        }

        static Function ofLong(String name) {
            return new Function(telling(name), Long.SIZE);
        }

        long call(MemorySegment kept, long first, long second, long third, long fourth, long fifth, long sixth) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(STATE);
                int unused = Long.SIZE - bits;
                long answer;
                do {
                    answer = (long) handle.invokeExact(state, first, second, third, fourth, fifth, sixth, kept)
                            << unused
                            >> unused;
                } while (answer == -1 && error(state) == INTERRUPTED);
                return answer == -1 ? -error(state) : answer;
            } catch (Throwable impossible) {
                throw unexpected(impossible);
            }
        }

        long call(long first, long second, long third, long fourth) {
            return call(MemorySegment.NULL, first, second, third, fourth, 0, 0);
        }
    }

    /** A function that is called in {@link #FORM}, and whose errors are not needed. */
    static MethodHandle quiet(String name) {
        return LINKER.downcallHandle(find(name), FORM);
    }

    /** The same, with a segment for {@code errno} before the parameters. */
    static MethodHandle telling(String name) {
        return LINKER.downcallHandle(find(name), FORM, Linker.Option.captureCallState("errno"));
    }

    private static MemorySegment find(String name) {
        return LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no " + name));
    }

    /** Allocates a segment for {@code errno}. */
    static MemorySegment newState(Arena arena) {
        return arena.allocate(STATE);
    }

    static int error(MemorySegment state) {
        return state.get(JAVA_INT, ERRNO);
    }

    /** Impossible: a call of the C library throws nothing. */
    static IllegalStateException unexpected(Throwable impossible) {
        return new IllegalStateException("a call of the C library threw, which it cannot", impossible);
    }

    /** Creates an unnamed file in memory; returns its descriptor. */
    static int createMemoryFile(String name) {
        int strict = createMemoryFile(name, CLOSE_ON_EXEC | ALLOW_SEALING | NEVER_EXECUTED);
        return strict == -INVALID ? createMemoryFile(name, CLOSE_ON_EXEC | ALLOW_SEALING) : strict;
    }

    private static int createMemoryFile(String name, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return (int) MEMFD_CREATE.call(text, text.address(), flags, 0, 0, 0, 0);
        }
    }

    /**
     * Sets a file's length and reserves its pages: a lack of memory is an error now, not a signal at the first access.
     */
    static int reserve(int descriptor, long length) {
        return (int) FALLOCATE.call(descriptor, 0, 0, length);
    }

    /** Fixes the length of a memory file, even for its owner. */
    static int sealLength(int descriptor) {
        return (int) FCNTL.call(descriptor, ADD_SEALS, SEALED_LENGTH, 0);
    }

    /** The seals of a memory file. */
    static int seals(int descriptor) {
        return (int) FCNTL.call(descriptor, GET_SEALS, 0, 0);
    }

    /** Opens a file for reading and writing. */
    static int open(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            return (int) OPEN.call(text, text.address(), OPEN_FLAGS, 0, 0, 0, 0);
        }
    }

    static long length(int descriptor) {
        return LSEEK.call(descriptor, 0, TO_THE_END, 0);
    }

    /** Maps a file from its beginning; returns the address. */
    static long map(int descriptor, long length) {
        return MMAP.call(MemorySegment.NULL, 0, length, READ_AND_WRITE, MAP_SHARED, descriptor, 0);
    }

    static void unmap(long address, long length) {
        long _ = MUNMAP.call(address, length, 0, 0);
    }

    static void close(int descriptor) {
        long _ = CLOSE.call(descriptor, 0, 0, 0);
    }

    /** The user id of this process, which owns the files that it creates. */
    static int user() {
        return (int) GETEUID.call(0, 0, 0, 0);
    }

    /** Lets any process of this user read this one if Yama restricts that to parent processes. */
    static int allowReaders() {
        return (int) PRCTL.call(SET_TRACER, ANY_TRACER, 0, 0);
    }
}
