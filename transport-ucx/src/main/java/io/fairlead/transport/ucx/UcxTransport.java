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
import java.util.EnumSet;
import java.util.Set;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;

/** A UCX context with peer error handling, over shared memory too, and without UCX's own tcp transport. */
final class UcxTransport implements Transport {
    private final UcpContext context;
    private final Lanes lanes;
    private final String version;

    UcxTransport(TransportSetup setup) {
        String tls = setup.config().value(UcxProvider.TLS);
        if (setup.config().value(UcxProvider.TCP)) {
            tls += ",tcp";
        }
        lanes = Lanes.of(tls);
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
        Set<Capability> all = EnumSet.allOf(Capability.class);
        if (!lanes.memory() && !lanes.rdma()) {
            all.remove(Capability.ONE_SIDED);
        }
        return all;
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
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        if (peer == null) {
            return Reach.none("the peer's UCX address is malformed");
        }
        boolean sameHost = peer.isHere();
        if (!lanes.reach(peer.lanes(), sameHost)) {
            return Reach.none(
                    sameHost
                            ? "no lane of UCX's is allowed on both sides: here " + lanes.names()
                            : "the processes share no memory: different host, namespace or user");
        }
        return switch (lanes.pathClass(peer.lanes(), sameHost)) {
            case SHARED_MEMORY ->
                Reach.by(PathClass.SHARED_MEMORY, "memory", lanes.names(), "both processes are on one host");
            case RDMA -> Reach.by(PathClass.RDMA, "rdma", lanes.names(), "both hosts have RDMA");
            default -> Reach.by(PathClass.TCP, "tcp", lanes.names(), UcxProvider.TCP.name() + " is set on both sides");
        };
    }

    @Override
    public RegisteredMemory allocate(long length, Set<AccessRight> rights) {
        return UcxMemory.allocated(UcpMemory.allocate(context.getNativeId(), UcxMemory.sizeOf(length)), length);
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        // Within a host the owner serves what it wrapped; UCX need not pin it for that.
        return UcxMemory.wrapped(lanes.rdma() ? UcpMemory.wrap(context.getNativeId(), segment) : null, segment);
    }

    Lanes lanes() {
        return lanes;
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return new UcxWorker(this, context, host);
    }

    @Override
    public void close() {
        context.close();
    }
}
