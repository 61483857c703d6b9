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
import io.fairlead.spi.host.HostFiles;
import io.fairlead.spi.host.HostSecret;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A UCX context with peer error handling, over shared memory too, with RDMA where the host has it, and without UCX's own tcp. */
final class UcxTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(UcxTransport.class);
    /** Every device, as UCX says it. */
    private static final String ALL = "all";
    /** {@code ud} is how {@code rc} finds its peer by a worker's address. */
    private static final String RDMA_LANES = "rc,ud";

    private final UcpContext context;
    private final Lanes lanes;
    private final RdmaHost rdma;
    private final RdmaPorts ports = new RdmaPorts(new HostFiles(Path.of("/")));
    private final String version;
    private final boolean rings;

    UcxTransport(TransportSetup setup) {
        String problem = JucxLibrary.load();
        if (!problem.isEmpty()) {
            throw new FairleadException(Reason.TRANSPORT, problem + "; " + JucxLibrary.REMEDY);
        }
        int[] number = Ucp.version();
        version = number[0] + "." + number[1];
        rings = setup.config().value(UcxProvider.RINGS);
        String tls = setup.config().value(UcxProvider.TLS);
        boolean unchanged = tls.equals(UcxProvider.TLS.defaultValue());
        RdmaHost host = unchanged || Lanes.wantRdma(tls)
                ? RdmaHost.here(devices(setup))
                : RdmaHost.none("ucx.tls=" + tls + " names no RDMA transport");
        Opened opened = unchanged && host.present() ? tryRdma(setup, tls, host) : open(setup, tls, host);
        context = opened.context;
        lanes = opened.lanes;
        rdma = opened.rdma;
    }

    private record Opened(UcpContext context, Lanes lanes, RdmaHost rdma) {}

    /** RDMA that nobody asked for must not keep the rest from working. */
    private static Opened tryRdma(TransportSetup setup, String tls, RdmaHost host) {
        try {
            Opened opened = open(setup, tls + "," + RDMA_LANES, host);
            try {
                // A port that cannot be opened or memory that cannot be locked shows with the first worker.
                opened.context.newWorker(new UcpWorkerParams()).close();
                return opened;
            } catch (UcxException failure) {
                opened.context.close();
                throw new FairleadException(
                        Reason.TRANSPORT, "ucp_worker_create failed: cause: " + failure.getMessage(), failure);
            }
        } catch (FairleadException failure) {
            LOG.warn("RDMA is there and cannot be used: devices={}", host.devices(), failure);
            return open(setup, tls, RdmaHost.none(host.devices() + " cannot be used by UCX: " + failure.getMessage()));
        }
    }

    private static String devices(TransportSetup setup) {
        String devices = setup.config().value(UcxProvider.DEVICES);
        return devices.equals(ALL) ? System.getenv().getOrDefault("UCX_NET_DEVICES", ALL) : devices;
    }

    private static Opened open(TransportSetup setup, String wanted, RdmaHost host) {
        String tls = setup.config().value(UcxProvider.TCP) ? wanted + ",tcp" : wanted;
        Lanes lanes = Lanes.of(tls, host);
        UcpParams params = new UcpParams()
                .requestTagFeature()
                .requestWakeupFeature()
                // Several workers of one context run on a thread each.
                .setMtWorkersShared(true)
                .setConfig("MM_ERROR_HANDLING", "y")
                // The peer's first word comes before there is an endpoint, and UCX would not look for it then.
                .setConfig("ADAPTIVE_PROGRESS", "n")
                .setConfig("TLS", tls)
                // What is longer than eager must not cost the receiver memory before it is matched. Signals go eagerly,
                // since a side that has not heard the other's hello sends nothing else of its transport's.
                .setConfig(
                        "RNDV_THRESH",
                        Integer.toString(Math.max(setup.config().value(ConfigKeys.EAGER_MAX), Note.SIGNAL_LENGTH) + 1))
                .setConfig("LOG_LEVEL", UcxLog.level(System.getenv()));
        if (lanes.rdma()) {
            // Where no network card does the puts and gets of UCX, it would do them by itself, at any address that a
            // peer names.
            params.requestRmaFeature();
        }
        if (!setup.config().value(UcxProvider.DEVICES).equals(ALL)) {
            params.setConfig("NET_DEVICES", setup.config().value(UcxProvider.DEVICES));
        }
        if (lanes.rdma() && host.software()) {
            // The kernel's RoCE in software does not tell a datagram's destination, so that UCX would drop them all.
            params.setConfig("UD_ETH_DGID_CHECK", "n");
        }
        try {
            return new Opened(new UcpContext(params), lanes, host);
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
        if (sameHost && !peer.genuine()) {
            return Reach.none(unsigned());
        }
        if (!lanes.reach(peer.lanes(), sameHost)) {
            return Reach.none(obstacle(peer, sameHost));
        }
        PathClass pathClass = lanes.pathClass(peer.lanes(), sameHost);
        Optional<String> down = pathClass == PathClass.RDMA ? portDown() : Optional.empty();
        if (down.isPresent()) {
            return Reach.none("at the listener " + down.get());
        }
        List<String> names = lanes.names(pathClass);
        return switch (pathClass) {
            case SHARED_MEMORY -> Reach.by(pathClass, "memory", names, "both processes are on one host");
            case RDMA -> Reach.by(pathClass, devices(peer), names, "both hosts have RDMA");
            default -> Reach.by(PathClass.TCP, "tcp", names, UcxProvider.TCP.name() + " is set on both sides");
        };
    }

    /**
     * Which port has gone down since this context was opened, in words. UCX ends a process that connects over it (1.13): it takes each
     * receive that its datagrams' queue pair gives back for fatal.
     */
    Optional<String> portDown() {
        return ports.down(rdma.ports());
    }

    /** The devices that the path runs over: the connector's, then the listener's where it is called otherwise. */
    private String devices(WorkerAddress peer) {
        return peer.rdma().equals(rdma.devices()) ? rdma.devices() : peer.rdma() + "-" + rdma.devices();
    }

    /** Said by the listener, and read by both sides. */
    private String obstacle(WorkerAddress peer, boolean sameHost) {
        String memory = sameHost
                ? "ucx.tls of one side allows no shared memory"
                : "the processes share no memory: " + peer.difference();
        if (!lanes.rdma()) {
            return memory + "; no RDMA at the listener: " + rdma();
        }
        return peer.lanes().rdma()
                ? memory + "; one side has InfiniBand and the other RoCE"
                : memory + "; no RDMA at the connector: " + peer.rdma();
    }

    /** The names of the RDMA devices, or why there is none to use. */
    String rdma() {
        return lanes.rdma() ? rdma.devices() : rdma.cause();
    }

    /** Why an address of this host is refused. */
    static String unsigned() {
        String problem = HostSecret.here().problem();
        return problem.isEmpty()
                ? "the peer's UCX address was not made by this user on this host"
                : "UCX addresses cannot be told from made-up ones: " + problem;
    }

    @Override
    public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
        return UcxMemory.allocate(forNetworkCards(), length);
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        return UcxMemory.wrap(forNetworkCards(), segment);
    }

    /** The context, if UCX is to pin regions; within a host nobody needs that. */
    private long forNetworkCards() {
        return lanes.rdma() ? context.getNativeId() : 0;
    }

    Lanes lanes() {
        return lanes;
    }

    /** Whether processes that share memory exchange their messages through rings in it. */
    boolean rings() {
        return rings;
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return UcxWorker.open(this, context, host);
    }

    @Override
    public void close() {
        context.close();
    }
}
