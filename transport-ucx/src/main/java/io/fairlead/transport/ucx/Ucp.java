package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * The data path of libucp: plain downcalls on the handles that JUCX made. Loaded when first touched; {@link UcxProvider} finds
 * out beforehand whether that can work.
 *
 * <p>{@code ucs_status_t} is a packed enum, one signed byte at the ABI. Calls that return a pointer or a status return 0 for
 * done, a small negative number for an error, and else the address of a request.
 */
final class Ucp {
    static final String LIBRARY = "libucp.so.0";

    static final byte OK = 0;
    static final byte IN_PROGRESS = 1;
    static final byte MESSAGE_TRUNCATED = -9;
    static final byte CANCELED = -16;

    static final int ATOMIC_ADD = 0;
    static final int ATOMIC_SWAP = 1;
    static final int ATOMIC_COMPARE_SWAP = 2;
    static final int ATOMIC_AND = 3;
    static final int ATOMIC_OR = 4;
    static final int ATOMIC_XOR = 5;

    private static final long LOWEST_STATUS = -127;

    private static final int FIELD_DATATYPE = 1 << 3;
    private static final int FIELD_REPLY_BUFFER = 1 << 5;
    private static final int FIELD_MEMORY_TYPE = 1 << 6;
    private static final long PARAM_LENGTH = 128;
    private static final long PARAM_DATATYPE = 24;
    private static final long PARAM_REPLY_BUFFER = 40;
    private static final long DATATYPE_IOV = 2;
    private static final long DATATYPE_WORD = (long) Long.BYTES << 3;

    /** {@code ucp_tag_recv_info_t}: sender tag and length. */
    static final long INFO_TAG = 0;

    static final long INFO_LENGTH = 8;
    static final long INFO_SIZE = 16;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup SYMBOLS = SymbolLookup.libraryLookup(LIBRARY, Arena.global());

    private static final MethodHandle GET_VERSION =
            call("ucp_get_version", FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle TAG_SEND = call("ucp_tag_send_nbx", posting(5));
    private static final MethodHandle TAG_SEND_SYNC = call("ucp_tag_send_sync_nbx", posting(5));
    private static final MethodHandle TAG_PROBE = call(
            "ucp_tag_probe_nb",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS));
    private static final MethodHandle TAG_MESSAGE_RECEIVE = call("ucp_tag_msg_recv_nbx", posting(5));
    private static final MethodHandle PUT = call("ucp_put_nbx", posting(6));
    private static final MethodHandle GET = call("ucp_get_nbx", posting(6));
    private static final MethodHandle ATOMIC = call(
            "ucp_atomic_op_nbx",
            FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS));
    private static final MethodHandle FLUSH = call("ucp_ep_flush_nbx", posting(2));
    private static final MethodHandle FENCE = call("ucp_worker_fence", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));
    private static final MethodHandle REQUEST_STATUS =
            call("ucp_request_check_status", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));
    private static final MethodHandle REQUEST_CANCEL =
            call("ucp_request_cancel", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle REQUEST_FREE = call("ucp_request_free", FunctionDescriptor.ofVoid(JAVA_LONG));

    private static final MemorySegment HOST = param(FIELD_MEMORY_TYPE, 0);
    private static final MemorySegment HOST_IOV = param(FIELD_MEMORY_TYPE | FIELD_DATATYPE, DATATYPE_IOV);

    private Ucp() {}

    /** What the installed library says of itself: major, minor, release. */
    static int[] version() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 3);
            GET_VERSION.invokeExact(numbers.asSlice(0, 4), numbers.asSlice(4, 4), numbers.asSlice(8, 4));
            return numbers.toArray(JAVA_INT);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long tagSend(long endpoint, long address, long length, long tag) {
        try {
            return (long) TAG_SEND.invokeExact(endpoint, address, length, tag, HOST);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long tagSendGather(long endpoint, long vector, long count, long tag) {
        try {
            return (long) TAG_SEND.invokeExact(endpoint, vector, count, tag, HOST_IOV);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long tagSendSynchronous(long endpoint, long address, long length, long tag) {
        try {
            return (long) TAG_SEND_SYNC.invokeExact(endpoint, address, length, tag, HOST);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** Takes the oldest message that no receive has matched; 0 if there is none. */
    static long claimAny(long worker, MemorySegment info) {
        try {
            return (long) TAG_PROBE.invokeExact(worker, 0L, 0L, 1, info);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long receiveMessage(long worker, long address, long length, long message) {
        try {
            return (long) TAG_MESSAGE_RECEIVE.invokeExact(worker, address, length, message, HOST);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long put(long endpoint, long address, long length, long remoteAddress, long remoteKey) {
        try {
            return (long) PUT.invokeExact(endpoint, address, length, remoteAddress, remoteKey, HOST);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long get(long endpoint, long address, long length, long remoteAddress, long remoteKey) {
        try {
            return (long) GET.invokeExact(endpoint, address, length, remoteAddress, remoteKey, HOST);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** A fetching atomic on one 64-bit word; the parameter block is made by {@link #atomicParam}. */
    static long atomic(
            long endpoint, int operation, long operand, long remoteAddress, long remoteKey, MemorySegment param) {
        try {
            return (long) ATOMIC.invokeExact(endpoint, operation, operand, 1L, remoteAddress, remoteKey, param);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long flush(long endpoint) {
        try {
            return (long) FLUSH.invokeExact(endpoint, HOST);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static byte fence(long worker) {
        try {
            return (byte) FENCE.invokeExact(worker);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static byte status(long request) {
        try {
            return (byte) REQUEST_STATUS.invokeExact(request);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static void cancel(long worker, long request) {
        try {
            REQUEST_CANCEL.invokeExact(worker, request);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static void free(long request) {
        try {
            REQUEST_FREE.invokeExact(request);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** Whether a call's answer is an error rather than a request. */
    static boolean isError(long answer) {
        return answer < 0 && answer >= LOWEST_STATUS;
    }

    /** A parameter block for an atomic whose old value goes to the reply buffer. */
    static MemorySegment atomicParam(Arena arena, MemorySegment reply) {
        MemorySegment param = arena.allocate(PARAM_LENGTH, Long.BYTES);
        param.set(JAVA_INT, 0, FIELD_DATATYPE | FIELD_REPLY_BUFFER);
        param.set(JAVA_LONG, PARAM_DATATYPE, DATATYPE_WORD);
        param.set(ADDRESS, PARAM_REPLY_BUFFER, reply);
        return param;
    }

    private static MemorySegment param(int fields, long datatype) {
        MemorySegment param = Arena.global().allocate(PARAM_LENGTH, Long.BYTES);
        param.set(JAVA_INT, 0, fields);
        param.set(JAVA_LONG, PARAM_DATATYPE, datatype);
        return param;
    }

    /** A call with that many 64-bit arguments, the last of them a parameter block, which answers a pointer or a status. */
    private static FunctionDescriptor posting(int arguments) {
        ValueLayout[] layouts = new ValueLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        layouts[arguments - 1] = ADDRESS;
        return FunctionDescriptor.of(JAVA_LONG, layouts);
    }

    private static MethodHandle call(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(
                SYMBOLS.find(name)
                        .orElseThrow(() -> new UnsatisfiedLinkError(LIBRARY + " has no " + name + "; it is older than 1.13")),
                descriptor);
    }

    private static IllegalStateException unexpected(Throwable thrown) {
        return new IllegalStateException("a native call threw, which it cannot", thrown);
    }
}
