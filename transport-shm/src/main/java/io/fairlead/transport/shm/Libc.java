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

    private static final MethodHandle MEMFD_CREATE =
            telling("memfd_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle FALLOCATE =
            telling("fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle FCNTL = telling(
            "fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle OPEN = telling(
            "open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle LSEEK =
            telling("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MMAP = telling(
            "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP = telling("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CLOSE = telling("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle GETEUID = function("geteuid", FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle PRCTL = telling(
            "prctl",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1));

    private Libc() {}

    @FunctionalInterface
    private interface Call {
        long run(MemorySegment state) throws Throwable;
    }

    /** Looks up a function by its name. */
    static MethodHandle function(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return LINKER.defaultLookup()
                .find(name)
                .map(function -> LINKER.downcallHandle(function, descriptor, options))
                .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no " + name));
    }

    private static MethodHandle telling(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker.Option[] all = java.util.Arrays.copyOf(options, options.length + 1);
        all[options.length] = Linker.Option.captureCallState("errno");
        return function(name, descriptor, all);
    }

    private static long call(Call call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long answer;
            do {
                answer = call.run(state);
            } while (answer == -1 && state.get(JAVA_INT, ERRNO) == INTERRUPTED);
            return answer == -1 ? -state.get(JAVA_INT, ERRNO) : answer;
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
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
            return (int) call(state -> (int) MEMFD_CREATE.invokeExact(state, text, flags));
        }
    }

    /**
     * Sets a file's length and reserves its pages: a lack of memory is an error now, not a signal at the first access.
     */
    static int reserve(int descriptor, long length) {
        return (int) call(state -> (int) FALLOCATE.invokeExact(state, descriptor, 0, 0L, length));
    }

    /** Fixes the length of a memory file, even for its owner. */
    static int sealLength(int descriptor) {
        return (int) call(state -> (int) FCNTL.invokeExact(state, descriptor, ADD_SEALS, SEALED_LENGTH));
    }

    /** The seals of a memory file. */
    static int seals(int descriptor) {
        return (int) call(state -> (int) FCNTL.invokeExact(state, descriptor, GET_SEALS, 0));
    }

    /** Opens a file for reading and writing. */
    static int open(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            return (int) call(state -> (int) OPEN.invokeExact(state, text, OPEN_FLAGS, 0));
        }
    }

    static long length(int descriptor) {
        return call(state -> (long) LSEEK.invokeExact(state, descriptor, 0L, TO_THE_END));
    }

    /** Maps a file from its beginning; returns the address. */
    static long map(int descriptor, long length) {
        return call(state -> (long) MMAP.invokeExact(state, 0L, length, READ_AND_WRITE, MAP_SHARED, descriptor, 0L));
    }

    static void unmap(long address, long length) {
        long _ = call(state -> (int) MUNMAP.invokeExact(state, address, length));
    }

    static void close(int descriptor) {
        long _ = call(state -> (int) CLOSE.invokeExact(state, descriptor));
    }

    /** The user id of this process, which owns the files that it creates. */
    static int user() {
        try {
            return (int) GETEUID.invokeExact();
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** Lets any process of this user read this one if Yama restricts that to parent processes. */
    static int allowReaders() {
        return (int) call(state -> (int) PRCTL.invokeExact(state, SET_TRACER, ANY_TRACER, 0L, 0L, 0L));
    }
}
