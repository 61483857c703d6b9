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

/** A UCX context with peer error handling, over shared memory too, with RDMA where the host has it, and without UCX's own tcp. */
final class UcxContext {
    private static final Logger LOG = LoggerFactory.getLogger(UcxContext.class);
    /** {@code ud} is how {@code rc} finds its peer by a worker's address. */
    private static final String RDMA_LANES = "rc,ud";

    private final UcpContext context;
    private final Lanes lanes;
    private final RdmaHost rdma;
    private final RdmaPorts ports;
    private final String version;
    /** Workers that were left behind. */
    private final AtomicInteger left = new AtomicInteger();

    UcxContext(TransportSetup setup) {
        this(setup, new HostFiles(Path.of("/")));
    }

    /** The same on a host whose files say something else. */
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
    }

    private record Opened(UcpContext context, Lanes lanes, RdmaHost rdma) {}

    /** RDMA that cannot be used must not keep the rest from working. */
    private static Opened tryRdma(
            TransportSetup setup, String wanted, String otherwise, RdmaHost host, HostFiles files) {
        try {
            return openRdma(setup, wanted, host, files);
        } catch (FairleadException failure) {
            LOG.warn("RDMA is there and cannot be used: devices={}", host.devices(), failure);
            return open(
                    setup,
                    otherwise,
                    RdmaHost.none(host.devices() + " cannot be used by UCX: " + failure.getMessage()));
        }
    }

    /** What the kernel shows UCX may be unable to open, so UCX has the last word on which ports there are. */
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
            // A port that cannot be opened or memory that cannot be locked shows with the first worker.
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

    /** What this host has of RDMA, with the ports that may be used. */
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
                // Several workers of one context run on a thread each.
                .setMtWorkersShared(true)
                .setConfig("MM_ERROR_HANDLING", "y")
                // The peer's first word comes before there is an endpoint, and UCX would not look for it then.
                .setConfig("ADAPTIVE_PROGRESS", "n")
                .setConfig("TLS", tls)
                // What is longer than eager must not cost the receiver memory before it is matched. Signals go eagerly,
                // since a side whose wire-up is not over sends nothing else of its transport's.
                .setConfig(
                        "RNDV_THRESH",
                        Integer.toString(
                                Math.max(setup.config().value(ConfigKeys.EAGER_MAX), TransportMessage.SIGNAL_LENGTH)
                                        + 1))
                .setConfig("LOG_LEVEL", UcxLog.level(System.getenv()));
        if (lanes.rdma()) {
            // Where no network card does the puts and gets of UCX, it would do them by itself, at any address that a
            // peer names.
            params.requestRmaFeature();
        }
        if (!setup.config().value(UcxKeys.DEVICES).equals(UcxKeys.ALL)) {
            params.setConfig("NET_DEVICES", setup.config().value(UcxKeys.DEVICES));
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

    /** JUCX's. */
    UcpContext ucp() {
        return context;
    }

    Lanes lanes() {
        return lanes;
    }

    /** Major and minor version, which peers compare. */
    String version() {
        return version;
    }

    /**
     * Which port has gone down since this context was opened, in words. UCX ends a process that connects over it (1.13): it takes each
     * receive that its datagrams' queue pair gives back for fatal.
     */
    Optional<String> portDown() {
        return ports.down(rdma.ports());
    }

    /** The names of the RDMA devices, or why there is none to use. */
    String rdma() {
        return lanes.rdma() ? rdma.devices() : rdma.cause();
    }

    /** A worker cannot be destroyed without the end of the process: it stays, and so does this context. */
    void leaveWorker() {
        left.incrementAndGet();
        LOG.warn(
                "left a UCX worker and its memory behind: an answer of UCX's to a peer that is gone waits in it, and UCX would end the process where it is destroyed");
    }

    void close() {
        if (left.get() == 0) {
            context.close();
        }
    }
}
