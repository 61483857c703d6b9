package io.fairlead.transport.ucx;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.ConfigKeys;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathClass;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;

/** A UCX context with peer error handling, over shared memory too, and without UCX's own tcp transport. */
final class UcxTransport implements Transport {
    private static final Set<Capability> CAPABILITIES = Set.of(
            Capability.TAGGED,
            Capability.SYNCHRONOUS_SEND,
            Capability.PUT,
            Capability.GET,
            Capability.PUT_SIGNAL,
            Capability.ATOMIC,
            Capability.ONE_SIDED);

    private final UcpContext context;
    private final List<String> lanes;
    private final String version;

    UcxTransport(TransportSetup setup) {
        String tls = setup.config().value(UcxProvider.TLS);
        lanes = List.of(tls.split(",", -1));
        int[] number = Ucp.version();
        version = number[0] + "." + number[1];
        UcpParams params = new UcpParams()
                .requestTagFeature()
                .requestRmaFeature()
                .requestAtomic64BitFeature()
                // Several workers of one context run on a thread each.
                .setMtWorkersShared(true)
                .setConfig("MM_ERROR_HANDLING", "y")
                .setConfig("TLS", tls)
                // What is longer than eager must not cost the receiver memory before it is matched.
                .setConfig("RNDV_THRESH", Integer.toString(setup.config().value(ConfigKeys.EAGER_MAX) + 1))
                .setConfig("LOG_LEVEL", "fatal");
        try {
            context = new UcpContext(params);
        } catch (UcxException failure) {
            throw new FairleadException(
                    Reason.TRANSPORT, "ucp_init failed: tls=" + tls + ", cause: " + failure.getMessage(), failure);
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
        if (!version.equals(peerVersion)) {
            return Reach.none("UCX versions differ: here " + version + ", peer " + peerVersion);
        }
        WorkerAddress local = WorkerAddress.decode(localAddress);
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        if (local == null || peer == null) {
            return Reach.none("the peer's UCX address is malformed");
        }
        return local.sameHost(peer)
                ? Reach.by(PathClass.SHARED_MEMORY, "memory", lanes, "both processes are on one host")
                : Reach.none("the processes share no memory: different host, namespace or user");
    }

    @Override
    public RegisteredMemory allocate(long length, Set<AccessRight> rights) {
        // Rounded up, since the last word of a region must be reachable by atomics of eight bytes wherever it ends.
        long rounded = Math.addExact(length, Long.BYTES - 1) & -Long.BYTES;
        UcpMemory memory = map(new UcpMemMapParams().allocate().setLength(rounded), length);
        return UcxMemory.allocated(memory, length);
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        UcpMemory memory = map(
                new UcpMemMapParams().setAddress(segment.address()).setLength(segment.byteSize()), segment.byteSize());
        return UcxMemory.wrapped(memory, segment);
    }

    private UcpMemory map(UcpMemMapParams params, long length) {
        try {
            return context.memoryMap(params);
        } catch (UcxException failure) {
            throw new FairleadException(
                    Reason.REGISTRATION_FAILED,
                    "ucp_mem_map failed: length=" + length + " bytes, cause: " + failure.getMessage()
                            + "; check /dev/shm and the memlock limit",
                    failure);
        }
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return new UcxWorker(context, host);
    }

    @Override
    public void close() {
        context.close();
    }

    static @Nullable String text(byte status) {
        return switch (status) {
            case -3 -> "input/output error (-3)";
            case -6 -> "unreachable (-6)";
            case -16 -> "cancelled (-16)";
            case -25 -> "connection reset by the peer (-25)";
            case -80 -> "endpoint timed out (-80)";
            default -> "UCX status " + status;
        };
    }
}
