package io.fairlead.transport.shm;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathClass;
import io.fairlead.spi.AllocatingTransport;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import io.fairlead.spi.host.HostFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shared memory of one context: decides which peers it reaches, and creates regions that others can map. */
final class ShmTransport implements AllocatingTransport {
    /** Peers of another version are refused: rings and keys have this release's format. */
    private static final String VERSION = "4";

    private static final String SAME_HOST = "both processes are on one host";

    private final ReachProbe probe;
    private final boolean mayRead;
    private final boolean singleCopy;

    ShmTransport(TransportSetup setup) {
        try {
            probe = ReachProbe.create();
        } catch (IOException failure) {
            throw new FairleadException(
                    Reason.TRANSPORT, "memory cannot be shared: cause: " + failure.getMessage(), failure);
        }
        mayRead = setup.config().value(ShmKeys.CMA);
        String oneCopy = setup.config().value(ShmKeys.ONE_COPY);
        singleCopy = oneCopy.equals(ShmKeys.ALWAYS)
                || (oneCopy.equals(ShmKeys.AUTO) && !SharedCache.isOneForAll(new HostFiles(Path.of("/"))));
        if (setup.config().value(ShmKeys.READERS)) {
            // Without Yama there is nothing to allow, and the kernel returns an error.
            int _ = Libc.allowReaders();
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public String version() {
        return VERSION;
    }

    @Override
    public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
        if (!VERSION.equals(peerVersion)) {
            return Reach.none("shm versions differ: here " + VERSION + ", peer " + peerVersion);
        }
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        if (peer == null) {
            return Reach.none("the peer's shm address is malformed");
        }
        if (!peer.isHere()) {
            return Reach.none(peer.difference());
        }
        try {
            return reach(peer, ReachProbe.map(peer.probe()));
        } catch (IOException refused) {
            return Reach.none("the listener cannot map the connector's memory: " + refused.getMessage());
        }
    }

    private Reach reach(WorkerAddress peer, long word) {
        String parts = "shm.cma=false at the listener";
        if (mayRead) {
            int error = ReachProbe.read(peer.probe(), peer.probeAddress(), word);
            parts = error == 0 ? "" : new ReadPermission(new HostFiles(Path.of("/"))).refusal(error);
        }
        return parts.isEmpty()
                ? Reach.by(PathClass.SHARED_MEMORY, "memory", Lanes.of(true), SAME_HOST)
                : Reach.by(
                        PathClass.SHARED_MEMORY,
                        "memory",
                        Lanes.of(false),
                        SAME_HOST + ", long messages go in parts: " + parts);
    }

    @Override
    public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
        return ShmRegion.allocate(length);
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        return ShmRegion.of(segment);
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return new ShmWorker(probe, mayRead, singleCopy);
    }

    @Override
    public void close() {
        probe.close();
    }
}
