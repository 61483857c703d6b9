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
import java.lang.invoke.MethodHandles;
import java.util.Arrays;

/**
 * The data path of libucp: plain downcalls on the handles that JUCX created. Loaded on first use; {@link UcxProvider}
 * checks before whether that can work.
 *
 * <p>{@code ucs_status_t} is a packed enum, one signed byte at the ABI. Calls that return a pointer or a status return
 * 0 for success, a small negative number for an error, and otherwise the address of a request.
 *
 * <p>Calls with the application's memory throw an {@code IllegalStateException} if its arena is closed, and keep it
 * open while they run. Memory that UCX accesses after such a call cannot be kept open.
 */
final class Ucp {
    static final String LIBRARY = "libucp.so.0";

    static final byte OK = 0;
    static final byte MESSAGE_TRUNCATED = -9;
    static final byte BUSY = -15;
    static final byte CANCELED = -16;

    /** Result of {@link #received}: the request has not ended. */
    static final byte IN_PROGRESS = 1;

    private static final long LOWEST_STATUS = -127;

    /** {@code ucp_ep_params_t}; longer than the structure of any version. */
    private static final long EP_PARAMS_LENGTH = 128;

    private static final long EP_FIELD_ADDRESS = 1;
    private static final long EP_FIELD_ERROR_MODE = 1 << 1;
    private static final long EP_FIELD_ERROR_HANDLER = 1 << 2;
    private static final long EP_ADDRESS = 8;
    private static final long EP_ERROR_MODE = 16;
    private static final long EP_ERROR_CALLBACK = 24;
    private static final long EP_ERROR_ARGUMENT = 32;
    private static final int EP_ERROR_MODE_PEER = 1;

    private static final int CLOSE_FIELD_FLAGS = 1 << 4;
    private static final long CLOSE_FLAGS = 4;
    private static final int CLOSE_FORCE = 1;

    /** Longer than a packed key of 64 memory domains of 255 bytes each. */
    private static final long KEY_READ_MAX = 20 << 10;

    /** {@code ucp_tag_recv_info_t}: sender tag and length. */
    static final long INFO_TAG = 0;

    static final long INFO_LENGTH = 8;
    static final long INFO_SIZE = 16;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup SYMBOLS = SymbolLookup.libraryLookup(LIBRARY, Arena.global());

    private static final MethodHandle GET_VERSION =
            call("ucp_get_version", FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle ENDPOINT_CREATE =
            call("ucp_ep_create", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS));
    private static final MethodHandle ENDPOINT_CLOSE =
            call("ucp_ep_close_nbx", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS));
    private static final MethodHandle PROGRESS =
            call("ucp_worker_progress", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle TAG_SEND = call("ucp_tag_send_nbx", holding(5));
    private static final MethodHandle TAG_SEND_SYNC = call("ucp_tag_send_sync_nbx", holding(5));
    private static final MethodHandle TAG_RECEIVE = call("ucp_tag_recv_nbx", answering(6));
    private static final MethodHandle TAG_PROBE = call(
            "ucp_tag_probe_nb", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle TAG_MESSAGE_RECEIVE = call("ucp_tag_msg_recv_nbx", holding(5));
    private static final MethodHandle PUT = call("ucp_put_nbx", holding(6));
    private static final MethodHandle GET = call("ucp_get_nbx", holding(6));
    private static final MethodHandle FLUSH = call("ucp_ep_flush_nbx", answering(2));
    private static final MethodHandle FENCE = call("ucp_worker_fence", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));
    private static final MethodHandle ARM = call("ucp_worker_arm", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));
    private static final MethodHandle EVENT_FD =
            call("ucp_worker_get_efd", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, ADDRESS));
    private static final MethodHandle KEY_UNPACK =
            call("ucp_ep_rkey_unpack", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS));
    private static final MethodHandle KEY_DESTROY = call("ucp_rkey_destroy", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle RECEIVE_TEST =
            call("ucp_tag_recv_request_test", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle REQUEST_CANCEL =
            call("ucp_request_cancel", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle REQUEST_FREE = call("ucp_request_free", FunctionDescriptor.ofVoid(JAVA_LONG));

    private Ucp() {}

    /** The version of the installed library: major, minor, release. */
    static int[] version() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 3);
            GET_VERSION.invokeExact(numbers.asSlice(0, 4), numbers.asSlice(4, 4), numbers.asSlice(8, 4));
            return numbers.toArray(JAVA_INT);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /**
     * Creates an endpoint from a worker's address, with peer error handling. JUCX could too, but its callbacks create
     * JNI references that only JUCX's own progress would free.
     *
     * @return the handle, or an error
     */
    static long createEndpoint(long worker, byte[] address, MemorySegment errorCallback, long number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = arena.allocate(EP_PARAMS_LENGTH, Long.BYTES);
            params.set(JAVA_LONG, 0, EP_FIELD_ADDRESS | EP_FIELD_ERROR_MODE | EP_FIELD_ERROR_HANDLER);
            params.set(ADDRESS, EP_ADDRESS, arena.allocateFrom(JAVA_BYTE, address));
            params.set(JAVA_INT, EP_ERROR_MODE, EP_ERROR_MODE_PEER);
            params.set(ADDRESS, EP_ERROR_CALLBACK, errorCallback);
            params.set(JAVA_LONG, EP_ERROR_ARGUMENT, number);
            MemorySegment handle = arena.allocate(JAVA_LONG);
            byte status = (byte) ENDPOINT_CREATE.invokeExact(worker, params, handle);
            return status == OK ? handle.get(JAVA_LONG, 0) : status;
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** Closes an endpoint without notifying the peer; its requests end in later progress. */
    static void closeEndpoint(long endpoint) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = arena.allocate(EP_PARAMS_LENGTH, Long.BYTES);
            params.set(JAVA_INT, 0, CLOSE_FIELD_FLAGS);
            params.set(JAVA_INT, CLOSE_FLAGS, CLOSE_FORCE);
            long answer = (long) ENDPOINT_CLOSE.invokeExact(endpoint, params);
            if (answer != 0 && !isError(answer)) {
                free(answer);
            }
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static int progress(long worker) {
        try {
            return (int) PROGRESS.invokeExact(worker);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long tagSend(long endpoint, MemorySegment buffer, long offset, long count, long tag, long param) {
        try {
            return (long) TAG_SEND.invokeExact(endpoint, buffer.address() + offset, count, tag, param, buffer);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** Sends a message from memory that lives as long as the worker. */
    static long tagSend(long endpoint, long address, long length, long tag, long param) {
        try {
            return (long) TAG_SEND.invokeExact(endpoint, address, length, tag, param, MemorySegment.NULL);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long tagSendSynchronous(long endpoint, MemorySegment buffer, long offset, long count, long tag, long param) {
        try {
            return (long) TAG_SEND_SYNC.invokeExact(endpoint, buffer.address() + offset, count, tag, param, buffer);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /**
     * Posts a receive to UCX's own matching, into memory that lives as long as the worker; a set bit of the mask is
     * compared.
     */
    static long tagReceive(long worker, long address, long length, long tag, long tagMask, long param) {
        try {
            return (long) TAG_RECEIVE.invokeExact(worker, address, length, tag, tagMask, param);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** Takes the oldest message with such a tag and without a matching receive; 0 if there is none. */
    static long claim(long worker, long tag, long tagMask, long info) {
        return probe(worker, tag, tagMask, 1, info);
    }

    /** Whether there is a message without a matching receive; its tag and length are written to {@code info}. */
    static boolean hasUnmatched(long worker, long info) {
        return probe(worker, 0, 0, 0, info) != 0;
    }

    private static long probe(long worker, long tag, long tagMask, int remove, long info) {
        try {
            return (long) TAG_PROBE.invokeExact(worker, tag, tagMask, remove, info);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long receiveMessage(long worker, MemorySegment buffer, long offset, long length, long message, long param) {
        try {
            return (long)
                    TAG_MESSAGE_RECEIVE.invokeExact(worker, buffer.address() + offset, length, message, param, buffer);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long put(
            long endpoint,
            MemorySegment buffer,
            long offset,
            long length,
            long remoteAddress,
            long remoteKey,
            long param) {
        try {
            return (long) PUT.invokeExact(
                    endpoint, buffer.address() + offset, length, remoteAddress, remoteKey, param, buffer);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long get(
            long endpoint,
            MemorySegment buffer,
            long offset,
            long length,
            long remoteAddress,
            long remoteKey,
            long param) {
        try {
            return (long) GET.invokeExact(
                    endpoint, buffer.address() + offset, length, remoteAddress, remoteKey, param, buffer);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static long flush(long endpoint, long param) {
        try {
            return (long) FLUSH.invokeExact(endpoint, param);
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

    /** Prepares to wait on the event descriptor; {@link #BUSY} if there is something to do first. */
    static byte arm(long worker) {
        try {
            return (byte) ARM.invokeExact(worker);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** The descriptor that becomes readable when an armed worker has something to do. */
    static int eventDescriptor(long worker) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment descriptor = arena.allocate(JAVA_INT);
            byte status = (byte) EVENT_FD.invokeExact(worker, descriptor);
            return status == OK ? descriptor.get(JAVA_INT, 0) : status;
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /**
     * Unpacks a key. UCX gets no length and reads as many bytes as the first ones declare, so its copy is followed by
     * more zeroes than it can read.
     *
     * @return the key's handle, or an error
     */
    static long unpackKey(long endpoint, byte[] packed) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(packed.length + KEY_READ_MAX, Long.BYTES);
            MemorySegment.copy(packed, 0, copy, JAVA_BYTE, 0, packed.length);
            MemorySegment key = arena.allocate(JAVA_LONG);
            byte status = (byte) KEY_UNPACK.invokeExact(endpoint, copy, key);
            return status == OK ? key.get(JAVA_LONG, 0) : status;
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    static void destroyKey(long key) {
        try {
            KEY_DESTROY.invokeExact(key);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** The status of a receive; tag and length of its message are written to {@code info} when it has ended. */
    static byte received(long request, long info) {
        try {
            return (byte) RECEIVE_TEST.invokeExact(request, info);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** Cancels an unmatched receive, whose callback then runs inside this call; does nothing to any other request. */
    static void cancel(long worker, long request) {
        try {
            REQUEST_CANCEL.invokeExact(worker, request);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** Frees a request. If it has not ended, UCX frees it later without a callback. */
    static void free(long request) {
        try {
            REQUEST_FREE.invokeExact(request);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** Whether a call's result is an error rather than a request. */
    static boolean isError(long answer) {
        return answer < 0 && answer >= LOWEST_STATUS;
    }

    /**
     * A call with the given number of 64-bit arguments, the last of them a parameter block, that returns a pointer or a
     * status.
     */
    private static FunctionDescriptor answering(int arguments) {
        ValueLayout[] layouts = new ValueLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        return FunctionDescriptor.of(JAVA_LONG, layouts);
    }

    /**
     * The same with one more argument than the function has: the segment of one of the addresses. A C function ignores
     * it, on x86-64 as on aarch64, where the caller cleans up its arguments. But the linker keeps the segment's arena
     * open until the function has returned, and throws if it is closed already.
     */
    private static FunctionDescriptor holding(int arguments) {
        return answering(arguments).appendArgumentLayouts(ADDRESS);
    }

    static MethodHandle call(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(
                SYMBOLS.find(name)
                        .orElseThrow(() ->
                                new UnsatisfiedLinkError(LIBRARY + " has no " + name + "; it is older than 1.13")),
                descriptor);
    }

    /** A method of an object as a UCX callback. It must not throw. */
    static MemorySegment callback(
            MethodHandles.Lookup lookup, Object object, String method, FunctionDescriptor descriptor, Arena arena) {
        try {
            MethodHandle target = lookup.bind(object, method, descriptor.toMethodType());
            return LINKER.upcallStub(target, descriptor, arena);
        } catch (NoSuchMethodException | IllegalAccessException impossible) {
            throw unexpected(impossible);
        }
    }

    /** The exception of a native call: a segment's arena is closed; others are impossible. */
    static IllegalStateException unexpected(Throwable thrown) {
        if (thrown instanceof IllegalStateException closed) {
            return closed;
        }
        return new IllegalStateException("a native call threw, which it cannot", thrown);
    }
}
