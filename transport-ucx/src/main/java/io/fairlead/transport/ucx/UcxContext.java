package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.host.HostFiles;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpWorkerParams;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A UCX context with peer error handling, over shared memory too, with RDMA if the host has it, and without UCX's own
 * tcp.
 */
final class UcxContext {
    private static final Logger LOG = LoggerFactory.getLogger(UcxContext.class);
    /** {@code rc} finds its peer by {@code ud} from a worker's address. */
    private static final String RDMA_LANES = "rc,ud";

    private final UcpContext context;
    private final Lanes lanes;
    private final RdmaHost rdma;
    private final RdmaPorts ports;
    private final String version;
    /** Whether processes of this host map each other's regions; if not, owners serve them. */
    private final boolean sharesMemory;
    /** The number of workers that could not be destroyed. */
    private final AtomicInteger left = new AtomicInteger();

    UcxContext(TransportSetup setup) {
        this(setup, new HostFiles(Path.of("/")));
    }

    /** The same on a host with the given files. */
    UcxContext(TransportSetup setup, HostFiles files) {
        ports = new RdmaPorts(files);
        String problem = JucxLibrary.load();
        if (!problem.isEmpty()) {
            throw new FairleadException(Reason.TRANSPORT, problem + "; " + JucxLibrary.REMEDY);
        }
        int[] number = Ucp.version();
        version = number[0] + "." + number[1];
        String tls = setup.config().value(UcxKeys.TLS);
        boolean unchanged = tls.equals(UcxKeys.TLS.defaultValue());
        RdmaHost host = unchanged || Lanes.wantRdma(tls)
                ? rdmaHere(files, UcxKeys.devices(setup.config()))
                : RdmaHost.none("ucx.tls=" + tls + " names no RDMA transport");
        Opened opened;
        if (!host.hasPort()) {
            opened = open(setup, tls, host);
        } else {
            opened = unchanged
                    ? tryRdma(setup, tls + "," + RDMA_LANES, tls, host, files)
                    : tryRdma(setup, tls, tls, host, files);
        }
        context = opened.context;
        lanes = opened.lanes;
        rdma = opened.rdma;
        sharesMemory = setup.config().value(UcxKeys.ONE_SIDED) && lanes.memory() && !lanes.rdma();
    }

    private record Opened(UcpContext context, Lanes lanes, RdmaHost rdma) {}

    /** Unusable RDMA must not prevent the rest from working. */
    private static Opened tryRdma(
            TransportSetup setup, String wanted, String otherwise, RdmaHost host, HostFiles files) {
        try {
            return openRdma(setup, wanted, host, files);
        } catch (FairleadException failure) {
            LOG.warn("RDMA is present but unusable: devices={}", host.devices(), failure);
            return open(
                    setup,
                    otherwise,
                    RdmaHost.none(host.devices() + " cannot be used by UCX: " + failure.getMessage()));
        }
    }

    /** UCX may be unable to open a port that the kernel shows, so only ports that UCX reports are usable. */
    private static Opened openRdma(TransportSetup setup, String tls, RdmaHost host, HostFiles files) {
        Opened opened = open(setup, tls, host);
        try {
            RdmaHost usable = UcxResources.of(opened.context.getNativeId())
                    .map(resources -> host.openedBy(resources))
                    .orElse(host);
            if (!usable.hasPort()) {
                throw new FairleadException(
                        Reason.TRANSPORT,
                        new UcxModules(files)
                                .missing()
                                .map(missing -> missing + "; install UCX with its modules for RDMA")
                                .orElse("UCX opens no transport with ud or dc on any of its ports; UCX_LOG_FILE=stderr"
                                        + " UCX_LOG_LEVEL=debug shows why, which may be a provider library of"
                                        + " libibverbs that is not installed"));
            }
            // A port that cannot be opened or memory that cannot be locked fails with the first worker.
            opened.context.newWorker(new UcpWorkerParams()).close();
            return new Opened(opened.context, Lanes.of(String.join(",", opened.lanes.names()), usable), usable);
        } catch (UcxException failure) {
            opened.context.close();
            throw new FairleadException(
                    Reason.TRANSPORT, "ucp_worker_create failed: cause: " + failure.getMessage(), failure);
        } catch (FairleadException failure) {
            opened.context.close();
            throw failure;
        }
    }

    /** The RDMA of this host, with the allowed ports. */
    private static RdmaHost rdmaHere(HostFiles files, String allowed) {
        RdmaHost found = new RdmaPorts(files).host(allowed);
        if (!found.hasPort()) {
            return found;
        }
        Diagnosis memory = new HostLimits(UcxHost.here()).lockedMemory(true);
        return memory.level() == Diagnosis.Level.FAILURE
                ? RdmaHost.none(memory.name() + ": " + memory.finding() + "; " + memory.remedy())
                : found;
    }

    private static Opened open(TransportSetup setup, String wanted, RdmaHost host) {
        String tls = setup.config().value(UcxKeys.TCP) ? wanted + ",tcp" : wanted;
        Lanes lanes = Lanes.of(tls, host);
        UcpParams params = new UcpParams()
                .requestTagFeature()
                .requestWakeupFeature()
                // Several workers of one context each run on their own thread.
                .setMtWorkersShared(true)
                .setConfig("MM_ERROR_HANDLING", "y")
                // The peer's first message arrives before there is an endpoint, and UCX would not poll for it then.
                .setConfig("ADAPTIVE_PROGRESS", "n")
                .setConfig("TLS", tls)
                // A message that is longer than eager must not use the receiver's memory before it is matched. Signals
                // are sent eagerly, because a side whose wire-up is in progress sends no other transport messages.
                .setConfig(
                        "RNDV_THRESH",
                        Integer.toString(
                                Math.max(setup.config().value(ConfigKeys.EAGER_MAX), TransportMessage.SIGNAL_LENGTH)
                                        + 1))
                .setConfig("LOG_LEVEL", UcxLog.level(System.getenv()));
        // With it UCX also executes puts of its own protocol, at any address that a peer names: not without a card.
        if (lanes.rdma()) {
            params.requestRmaFeature();
        }
        if (!setup.config().value(UcxKeys.DEVICES).equals(UcxKeys.ALL)) {
            params.setConfig("NET_DEVICES", setup.config().value(UcxKeys.DEVICES));
        }
        if (lanes.rdma() && host.software()) {
            // The kernel's software RoCE does not report a datagram's destination, so UCX would drop all of them.
            params.setConfig("UD_ETH_DGID_CHECK", "n");
        }
        try {
            return new Opened(new UcpContext(params), lanes, host);
        } catch (UcxException failure) {
            throw new FairleadException(
                    Reason.TRANSPORT, "ucp_init failed: tls=" + tls + ", cause: " + failure.getMessage(), failure);
        }
    }

    /** The JUCX context. */
    UcpContext ucp() {
        return context;
    }

    Lanes lanes() {
        return lanes;
    }

    /** Whether processes of this host map each other's regions. With a network card, that accesses them. */
    boolean sharesMemory() {
        return sharesMemory;
    }

    /** Major and minor version, which peers compare. */
    String version() {
        return version;
    }

    /**
     * The port that has gone down since this context was opened, as text. UCX ends a process that connects over it
     * (1.13): it treats each receive that its datagrams' queue pair returns as fatal.
     */
    Optional<String> portDown() {
        return ports.down(rdma.ports());
    }

    /** The names of the RDMA devices, or why none is usable. */
    String rdma() {
        return lanes.rdma() ? rdma.devices() : rdma.cause();
    }

    /** Destroying a worker would end the process: it stays, and so does this context. */
    void leaveWorker() {
        left.incrementAndGet();
        LOG.warn(
                "left a UCX worker and its memory behind: an answer of UCX's to a peer that is gone waits in it, and UCX would end the process where it is destroyed");
    }

    void close() {
        if (left.get() != 0) {
            return;
        }
        context.close();
    }
}
