package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A memory mapping of UCX's. JUCX has a class for it too, but that one goes on with a handle that was never set when the mapping
 * fails, and ends the process.
 */
final class UcpMemory {
    private static final MethodHandle MAP =
            Ucp.call("ucp_mem_map", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, ADDRESS, ADDRESS));
    private static final MethodHandle UNMAP =
            Ucp.call("ucp_mem_unmap", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle PACK =
            Ucp.call("ucp_rkey_pack", FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS));
    private static final MethodHandle RELEASE =
            Ucp.call("ucp_rkey_buffer_release", FunctionDescriptor.ofVoid(JAVA_LONG));

    /** {@code ucp_mem_map_params_t}; longer than the structure of any version. */
    private static final long PARAMS_LENGTH = 64;

    private static final long FIELD_ADDRESS = 1;
    private static final long FIELD_LENGTH = 1 << 1;
    private static final long AT_ADDRESS = 8;
    private static final long AT_LENGTH = 16;

    private final long context;
    private final long handle;

    private UcpMemory(long context, long handle) {
        this.context = context;
        this.handle = handle;
    }

    /** Lets UCX's transports reach memory of the caller's. */
    static UcpMemory wrap(long context, MemorySegment segment) {
        long length = segment.byteSize();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = arena.allocate(PARAMS_LENGTH, Long.BYTES);
            params.set(JAVA_LONG, 0, FIELD_ADDRESS | FIELD_LENGTH);
            params.set(JAVA_LONG, AT_ADDRESS, segment.address());
            params.set(JAVA_LONG, AT_LENGTH, length);
            MemorySegment handle = arena.allocate(JAVA_LONG);
            byte status = (byte) MAP.invokeExact(context, params, handle);
            check("ucp_mem_map", status, length);
            return new UcpMemory(context, handle.get(JAVA_LONG, 0));
        } catch (FairleadException failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    /** What a peer unpacks to reach it. */
    byte[] packedKey() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(ADDRESS);
            MemorySegment length = arena.allocate(JAVA_LONG);
            byte status = (byte) PACK.invokeExact(context, handle, buffer, length);
            check("ucp_rkey_pack", status, 0);
            MemorySegment packed = buffer.get(ADDRESS, 0).reinterpret(length.get(JAVA_LONG, 0));
            byte[] bytes = packed.toArray(JAVA_BYTE);
            RELEASE.invokeExact(packed.address());
            return bytes;
        } catch (FairleadException failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    void unmap() {
        try {
            byte status = (byte) UNMAP.invokeExact(context, handle);
            check("ucp_mem_unmap", status, 0);
        } catch (FairleadException failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    private static void check(String call, byte status, long length) {
        if (status != Ucp.OK) {
            throw new FairleadException(
                    Reason.REGISTRATION_FAILED,
                    call + " failed: length=" + length + " bytes, cause: " + UcxStatus.text(status)
                            + "; check ulimit -l");
        }
    }
}
