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
            Capability.ONE_SIDED,
            Capability.BLOCKING_WAIT);

    private static final List<String> RDMA = List.of("rc", "ud", "dc", "ib", "srd");

    private final UcpContext context;
    private final List<String> lanes;
    private final String version;
    private final boolean rdma;

    UcxTransport(TransportSetup setup) {
        String tls = setup.config().value(UcxProvider.TLS);
        lanes = List.of(tls.split(",", -1));
        rdma = lanes.stream().anyMatch(UcxTransport::isRdma);
        int[] number = Ucp.version();
        version = number[0] + "." + number[1];
        UcpParams params = new UcpParams()
                .requestTagFeature()
                .requestRmaFeature()
                .requestAtomic64BitFeature()
                .requestWakeupFeature()
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
        return UcxMemory.allocated(UcpMemory.allocate(context.getNativeId(), UcxMemory.sizeOf(length)), length);
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        // Within a host the owner serves what it wrapped; UCX need not pin it for that.
        return UcxMemory.wrapped(rdma ? UcpMemory.wrap(context.getNativeId(), segment) : null, segment);
    }

    /** How an endpoint reaches the memory of a peer. */
    MemoryAccess access(WorkerAddress peer) {
        if (peer.sameHost(WorkerAddress.of(new byte[0]))) {
            return MemoryAccess.MAPPED;
        }
        return rdma ? MemoryAccess.RDMA : MemoryAccess.SERVED;
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return new UcxWorker(this, context, host);
    }

    /** Whether a transport of UCX's is one of network cards, by the beginnings of the names that UCX gives them. */
    private static boolean isRdma(String lane) {
        return RDMA.stream().anyMatch(lane::startsWith);
    }

    @Override
    public void close() {
        context.close();
    }
}
