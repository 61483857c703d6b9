package io.fairlead.transport.ucx;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.PathClass;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.AllocatingTransport;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** UCX as a transport of one context. */
final class UcxTransport implements AllocatingTransport {
    private final UcxContext context;
    /** The configuration lists the transports, including this one. */
    private final boolean named;

    UcxTransport(TransportSetup setup) {
        context = new UcxContext(setup);
        named = !setup.config().value(ConfigKeys.TRANSPORTS).isBlank();
    }

    /** Where UCX does not reach a region by itself, its owner serves requests when it makes progress. */
    @Override
    public Set<Capability> capabilities() {
        Set<Capability> all = EnumSet.complementOf(EnumSet.of(Capability.MAPPED_MEMORY));
        if (!context.lanes().rdma() && !context.sharesMemory()) {
            all.remove(Capability.ONE_SIDED);
        }
        return all;
    }

    @Override
    public String version() {
        return context.version();
    }

    @Override
    public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
        String version = context.version();
        if (!version.equals(peerVersion)) {
            return Reach.none("UCX versions differ: here " + version + ", peer " + peerVersion);
        }
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        if (peer == null) {
            return Reach.none("the peer's UCX address is malformed");
        }
        boolean sameHost = peer.isHere();
        if (sameHost && !peer.isGenuine()) {
            return Reach.none(peer.refusal("listener", "connector"));
        }
        Lanes lanes = context.lanes();
        Lanes.Route route = lanes.route(peer.lanes(), sameHost);
        PathClass pathClass = Lanes.pathClass(route);
        List<String> names = lanes.names(pathClass);
        return switch (route) {
            case NONE -> Reach.none(obstacle(peer, sameHost));
            case SHARED_MEMORY -> {
                // A killed process may block UCX's queue for others, so this path is used only on request.
                Reach memory = Reach.by(pathClass, "memory", names, "both processes are on one host");
                yield named ? memory : memory.ifRequested();
            }
            case TCP -> Reach.by(pathClass, "tcp", names, UcxKeys.TCP.name() + " is set on both sides");
            case RDMA -> {
                Optional<String> down = context.portDown();
                yield down.isPresent()
                        ? Reach.none("at the listener " + down.get())
                        : Reach.by(pathClass, devices(peer), names, "both hosts have RDMA");
            }
        };
    }

    /** The devices of the path: the connector's, then the listener's if its name differs. */
    private String devices(WorkerAddress peer) {
        String here = context.rdma();
        return peer.rdma().equals(here) ? here : peer.rdma() + "-" + here;
    }

    /** Written by the listener, and read by both sides. */
    private String obstacle(WorkerAddress peer, boolean sameHost) {
        Lanes lanes = context.lanes();
        String memory = sameHost
                ? "ucx.tls of one side allows no shared memory"
                : "the processes share no memory: " + peer.difference();
        if (!lanes.rdma()) {
            return memory + "; no RDMA at the listener: " + context.rdma();
        }
        if (!peer.lanes().rdma()) {
            return memory + "; no RDMA at the connector: " + peer.rdma();
        }
        return sameHost && lanes.isWithinHost(peer.lanes())
                ? memory + "; UCX would not use RDMA alone, since ucx.tls names other lanes within a host"
                : memory + "; one side has InfiniBand and the other RoCE";
    }

    /** For network cards no other allocation has an advantage over the core's. */
    @Override
    public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
        return context.sharesMemory() ? UcxMemory.allocate(length) : null;
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        return context.lanes().rdma()
                ? UcxMemory.mapped(context.ucp().getNativeId(), segment)
                : UcxMemory.served(segment);
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return UcxWorker.open(context, host);
    }

    @Override
    public void close() {
        context.close();
    }
}
