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
 * The C library's calls that create, pass and map shared memory. The numbers are Linux's, which are the same on x86-64
 * and aarch64 where nothing else is said; every function is in glibc and in musl. Each returns the C function's result, or the negated
 * error number.
 */
final class Libc {
    static final int NO_PERMISSION = 1;
    static final int NO_SUCH_PROCESS = 3;
    static final int BAD_ADDRESS = 14;
    static final int TRY_AGAIN = 11;
    static final int NO_ACCESS = 13;
    static final int NO_SUCH_CALL = 38;
    static final int REFUSED = 111;
    private static final int INTERRUPTED = 4;
    static final int INVALID = 22;
    static final int NOT_CONNECTED = 107;

    /** Flags of a memory file that fix its length. */
    static final int SEALED_LENGTH = 0x2 | 0x4;

    /** A flag of a memory file that fixes its flags. */
    static final int SEALED_SEALS = 0x1;

    /** A flag of a memory file that leaves its present mappings alone writable; since Linux 5.1. */
    static final int SEALED_CONTENT = 0x10;

    private static final int CLOSE_ON_EXEC = 0x1;
    private static final int ALLOW_SEALING = 0x2;
    /** Linux 6.3; earlier versions do not know it, and later ones may require it. */
    private static final int NEVER_EXECUTED = 0x8;

    private static final int ADD_SEALS = 1033;
    private static final int GET_SEALS = 1034;
    private static final int TO_THE_END = 2;
    private static final int READ = 0x1;
    private static final int READ_AND_WRITE = 0x1 | 0x2;
    private static final int MAP_SHARED = 0x1;
    private static final int MAP_PRIVATE = 0x2;
    private static final int MAP_AT_ADDRESS = 0x10;
    private static final int MAP_WITHOUT_FILE = 0x20;
    private static final int SET_TRACER = 0x59616d61;
    private static final long ANY_TRACER = -1;

    /** The system call's number: the C library's function of this name is no symbol of older versions. */
    private static final long FSTAT = System.getProperty("os.arch").equals("amd64") ? 5 : 80;
    /** The same: the C library has no functions of these names. */
    private static final long SET_ROBUST_LIST = System.getProperty("os.arch").equals("amd64") ? 273 : 99;

    private static final long GET_ROBUST_LIST = System.getProperty("os.arch").equals("amd64") ? 274 : 100;
    private static final long GETTID = System.getProperty("os.arch").equals("amd64") ? 186 : 178;

    /** Of the kernel's {@code struct stat}: more than its size, where the count of blocks is, and their size. */
    private static final int STATE_OF_FILE = 256;

    private static final int BLOCKS_AT = 64;
    private static final int BLOCK = 512;
    /** More than {@code struct statfs} has. */
    private static final int STATE_OF_FILE_SYSTEM = 256;

    private static final long MEMORY_FILE_SYSTEM = 0x0102_1994;
    private static final int PATH_ALONE = 0x20_0000;
    /** The one number that differs. */
    private static final int NO_FOLLOW = System.getProperty("os.arch").equals("amd64") ? 0x2_0000 : 0x8000;

    private static final int FILE_CLOSE_ON_EXEC = 0x8_0000;

    private static final int LOCAL = 1;
    private static final int PACKETS = 5;
    private static final int NON_BLOCKING = 0x800;
    private static final int SOCKET_CLOSE_ON_EXEC = 0x80000;
    private static final int SOCKET_LEVEL = 1;
    private static final int LEAVE_QUEUED = 0x2;
    private static final int DO_NOT_WAIT = 0x40;
    private static final int NO_SIGNAL = 0x4000;
    private static final int CLOSE_RECEIVED_ON_EXEC = 0x40000000;

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
    private static final Function LSEEK = Function.ofLong("lseek");
    private static final Function MMAP = Function.ofLong("mmap");
    private static final Function MUNMAP = Function.ofInt("munmap");
    private static final Function GETEUID = Function.ofInt("geteuid");
    private static final Function PRCTL = Function.ofInt("prctl");
    private static final Function SOCKET = Function.ofInt("socket");
    private static final Function BIND = Function.ofInt("bind");
    private static final Function LISTEN = Function.ofInt("listen");
    private static final Function ACCEPT = Function.ofInt("accept4");
    private static final Function CONNECT = Function.ofInt("connect");
    private static final Function SHUTDOWN = Function.ofInt("shutdown");
    private static final Function SENDMSG = Function.ofLong("sendmsg");
    private static final Function RECVMSG = Function.ofLong("recvmsg");
    private static final Function GETSOCKOPT = Function.ofInt("getsockopt");
    private static final Function SETSOCKOPT = Function.ofInt("setsockopt");
    private static final Function FCHMOD = Function.ofInt("fchmod");
    private static final Function OPEN = Function.ofInt("open");
    private static final Function FSTATFS = Function.ofInt("fstatfs");
    private static final Function SYSCALL = Function.ofLong("syscall");
    private static final Function POLL = Function.ofInt("poll");

    private static final MethodHandle CLOSE = quiet("close");
    private static final MethodHandle QUIET_POLL = quiet("poll");

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

    /** The same with flags of {@code memfd_create}. */
    static int createMemoryFile(String name, int flags) {
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

    /** Sets seals of a memory file, even for its owner. */
    static int seal(int descriptor, int seals) {
        return (int) FCNTL.call(descriptor, ADD_SEALS, seals, 0);
    }

    /** The seals of a memory file. */
    static int seals(int descriptor) {
        return (int) FCNTL.call(descriptor, GET_SEALS, 0, 0);
    }

    static long length(int descriptor) {
        return LSEEK.call(descriptor, 0, TO_THE_END, 0);
    }

    /** Maps a file from its beginning; returns the address. */
    static long map(int descriptor, long length) {
        return MMAP.call(MemorySegment.NULL, 0, length, READ_AND_WRITE, MAP_SHARED, descriptor, 0);
    }

    /** The same for reading alone. */
    static long mapReadOnly(int descriptor, long length) {
        return MMAP.call(MemorySegment.NULL, 0, length, READ, MAP_SHARED, descriptor, 0);
    }

    /** Maps memory of this process alone, filled with zeroes; returns the address. */
    static long mapPrivate(long length) {
        return MMAP.call(MemorySegment.NULL, 0, length, READ_AND_WRITE, MAP_PRIVATE | MAP_WITHOUT_FILE, -1, 0);
    }

    /** Maps a file from its beginning over memory that this process has mapped; returns the address. */
    static long mapOver(long address, int descriptor, long length) {
        return MMAP.call(
                MemorySegment.NULL, address, length, READ_AND_WRITE, MAP_SHARED | MAP_AT_ADDRESS, descriptor, 0);
    }

    static void unmap(long address, long length) {
        long _ = MUNMAP.call(address, length, 0, 0);
    }

    /** Once, whatever the kernel says: an interrupted close has freed the number, which may be another file's by now. */
    static void close(int descriptor) {
        try {
            long _ = (long) CLOSE.invokeExact((long) descriptor, 0L, 0L, 0L, 0L, 0L, MemorySegment.NULL);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** The user id of this process, which owns the files that it creates. */
    static int user() {
        return (int) GETEUID.call(0, 0, 0, 0);
    }

    /** Creates a local socket of packets, non-blocking; returns its descriptor. */
    static int localSocket() {
        return (int) SOCKET.call(LOCAL, PACKETS | NON_BLOCKING | SOCKET_CLOSE_ON_EXEC, 0, 0);
    }

    /** Gives a socket an address; EADDRINUSE if another one has it. */
    static int bind(int descriptor, MemorySegment address) {
        return (int) BIND.call(address, descriptor, address.address(), address.byteSize(), 0, 0, 0);
    }

    static int listen(int descriptor, int backlogMax) {
        return (int) LISTEN.call(descriptor, backlogMax, 0, 0);
    }

    /** The descriptor of the next connection, non-blocking; EAGAIN if none waits. */
    static int accept(int descriptor) {
        return (int) ACCEPT.call(descriptor, 0, 0, NON_BLOCKING | SOCKET_CLOSE_ON_EXEC);
    }

    /** Connects a local socket, at once: EAGAIN if the listener's queue is full. */
    static int connect(int descriptor, MemorySegment address) {
        return (int) CONNECT.call(address, descriptor, address.address(), address.byteSize(), 0, 0, 0);
    }

    /** Ends both directions of a socket, and wakes the threads that wait for it. */
    static void shutDown(int descriptor) {
        long _ = SHUTDOWN.call(descriptor, 2, 0, 0);
    }

    /** Sends one packet without waiting. The segment is a {@code msghdr}, and has what it refers to. */
    static long send(int descriptor, MemorySegment message) {
        return SENDMSG.call(message, descriptor, message.address(), DO_NOT_WAIT | NO_SIGNAL, 0, 0, 0);
    }

    /** Receives one packet without waiting. The segment is a {@code msghdr}, and has what it refers to. */
    static long receive(int descriptor, MemorySegment message) {
        return RECVMSG.call(message, descriptor, message.address(), DO_NOT_WAIT | CLOSE_RECEIVED_ON_EXEC, 0, 0, 0);
    }

    /** Receives one packet without waiting, and leaves it in the queue. */
    static long peek(int descriptor, MemorySegment message) {
        return RECVMSG.call(message, descriptor, message.address(), DO_NOT_WAIT | LEAVE_QUEUED, 0, 0, 0);
    }

    /**
     * Reads an option of a socket.
     *
     * @param option its number at the level of sockets
     * @param memory an int with the value's length, and the value
     */
    static int option(int descriptor, int option, MemorySegment memory) {
        return (int) GETSOCKOPT.call(
                memory, descriptor, SOCKET_LEVEL, option, memory.address() + Integer.BYTES, memory.address(), 0);
    }

    /** Sets an option of a socket. */
    static int setOption(int descriptor, int option, MemorySegment value) {
        return (int) SETSOCKOPT.call(value, descriptor, SOCKET_LEVEL, option, value.address(), value.byteSize(), 0);
    }

    /** Sets the permissions of a file, or of the file that a local socket will create when it is bound. */
    static int setPermissions(int descriptor, int mode) {
        return (int) FCHMOD.call(descriptor, mode, 0, 0);
    }

    /** A descriptor that names a file and cannot access it; of a link the link itself. */
    static int openPath(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            return (int) OPEN.call(text, text.address(), PATH_ALONE | NO_FOLLOW | FILE_CLOSE_ON_EXEC, 0, 0, 0, 0);
        }
    }

    /** Whether a memory file has ordinary pages: huge ones come from a pool, and one that is empty ends the process. */
    static boolean hasOrdinaryPages(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE_OF_FILE_SYSTEM, Long.BYTES);
            return FSTATFS.call(state, descriptor, state.address(), 0, 0, 0, 0) == 0
                    && state.get(JAVA_LONG, 0) == MEMORY_FILE_SYSTEM;
        }
    }

    /** The bytes that a file has pages for. */
    static long reserved(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE_OF_FILE, Long.BYTES);
            long answer = SYSCALL.call(state, FSTAT, descriptor, state.address(), 0, 0, 0);
            return answer < 0 ? answer : state.get(JAVA_LONG, BLOCKS_AT) * BLOCK;
        }
    }

    /**
     * Waits until a descriptor of several is ready.
     *
     * @param polled the structures of {@code poll(2)}
     * @return how many are ready; 0 after the time
     */
    static int poll(MemorySegment polled, int count, int timeoutMs) {
        return (int) POLL.call(polled, polled.address(), count, timeoutMs, 0, 0, 0);
    }

    /** Whether descriptors are ready now, as the structures tell; allocates nothing. */
    static boolean isAnyReady(MemorySegment polled, int count) {
        try {
            // An error such as an interruption is a no: the caller asks again.
            return (int) (long) QUIET_POLL.invokeExact(polled.address(), (long) count, 0L, 0L, 0L, 0L, polled) > 0;
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** The id of the calling thread in its PID namespace. */
    static int thread() {
        return (int) SYSCALL.call(GETTID, 0, 0, 0);
    }

    /** The address of the calling thread's list of robust futexes; 0 if it has none. */
    static long robustList() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(JAVA_LONG, 2);
            long answer = SYSCALL.call(found, GET_ROBUST_LIST, 0, found.address(), found.address() + Long.BYTES, 0, 0);
            return answer < 0 ? answer : found.get(JAVA_LONG, 0);
        }
    }

    /** Replaces the calling thread's list of robust futexes. */
    static int setRobustList(long head, long length) {
        return (int) SYSCALL.call(SET_ROBUST_LIST, head, length, 0);
    }

    /** Lets any process of this user read this one if Yama restricts that to parent processes. */
    static int allowReaders() {
        return (int) PRCTL.call(SET_TRACER, ANY_TRACER, 0, 0);
    }
}
