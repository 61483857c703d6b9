package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Diagnosis;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * A memory mapping of UCX. JUCX has a class for it too, but that one uses an uninitialized handle if the mapping fails,
 * and ends the process.
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

    /** A function of libucm that removes memory from UCX's registration caches. */
    private static final MethodHandle FORGET = Linker.nativeLinker()
            .downcallHandle(
                    SymbolLookup.libraryLookup("libucm.so.0", Arena.global()).findOrThrow("ucm_vm_munmap"),
                    FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    /** A cache that another thread is searching processes the call only later, without reporting that. */
    private static final int FORGET_TIMES = 8;

    /** {@code ucp_mem_map_params_t}; longer than the structure of any version. */
    private static final long PARAMS_LENGTH = 64;

    private static final long FIELD_ADDRESS = 1;
    private static final long FIELD_LENGTH = 1 << 1;
    private static final long AT_ADDRESS = 8;
    private static final long AT_LENGTH = 16;

    private final long context;
    private final long handle;
    /** Memory of the caller. */
    private final long address;

    private final long length;

    private UcpMemory(long context, long handle, long address, long length) {
        this.context = context;
        this.handle = handle;
        this.address = address;
        this.length = length;
    }

    /** Registers memory of the caller with UCX's transports. */
    static UcpMemory wrap(long context, MemorySegment segment) {
        long length = segment.byteSize();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = arena.allocate(PARAMS_LENGTH, Long.BYTES);
            params.set(JAVA_LONG, 0, FIELD_ADDRESS | FIELD_LENGTH);
            params.set(JAVA_LONG, AT_ADDRESS, segment.address());
            params.set(JAVA_LONG, AT_LENGTH, length);
            MemorySegment handle = arena.allocate(JAVA_LONG);
            byte status = (byte) MAP.invokeExact(context, params, handle);
            if (status != Ucp.OK) {
                Diagnosis locked = new HostLimits(UcxHost.here()).lockedMemory(true);
                throw new FairleadException(
                        Reason.REGISTRATION_FAILED,
                        "ucp_mem_map failed: length=" + length + " bytes, cause: " + UcxStatus.text(status) + "; "
                                + locked.name() + ": " + locked.finding()
                                + (locked.remedy().isEmpty() ? "" : "; " + locked.remedy()));
            }
            return new UcpMemory(context, handle.get(JAVA_LONG, 0), segment.address(), length);
        } catch (FairleadException failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    /** The bytes that a peer unpacks. */
    byte[] packedKey() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(ADDRESS);
            MemorySegment length = arena.allocate(JAVA_LONG);
            byte status = (byte) PACK.invokeExact(context, handle, buffer, length);
            check("ucp_rkey_pack", status);
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

    /**
     * Ends the mapping. UCX would keep it in its cache until the memory itself is unmapped, and the network card would
     * go on serving holders of the key. So the cache is invalidated first, and this ends the last use.
     */
    void unmap() {
        try {
            for (int i = 0; i < FORGET_TIMES; i++) {
                FORGET.invokeExact(address, length);
            }
            byte status = (byte) UNMAP.invokeExact(context, handle);
            check("ucp_mem_unmap", status);
        } catch (FairleadException failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    private static void check(String call, byte status) {
        if (status != Ucp.OK) {
            throw new FairleadException(Reason.REGISTRATION_FAILED, call + " failed: cause: " + UcxStatus.text(status));
        }
    }
}
