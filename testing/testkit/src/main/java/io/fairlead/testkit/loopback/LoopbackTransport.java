package io.fairlead.testkit.loopback;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.PathClass;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The loopback transport as one context uses it. What the contexts of this process share, the workers, is in a registry of
 * {@link LoopbackWorker}; a transport itself holds nothing but its configuration.
 */
final class LoopbackTransport implements Transport {
    private static final String VERSION = "1";

    private final int inboxMax;

    LoopbackTransport(int inboxMax) {
        this.inboxMax = inboxMax;
    }

    /** All but ONE_SIDED: puts and gets are served by the target's progress. */
    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Capability.ONE_SIDED, Capability.MAPPED_MEMORY));
    }

    @Override
    public String version() {
        return VERSION;
    }

    @Override
    public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
        if (!peerVersion.equals(VERSION)) {
            return Reach.none("peer speaks another version of loopback: version=" + peerVersion + ", here " + VERSION);
        }
        WorkerAddress peer = WorkerAddress.decode(peerAddress);
        if (peer == null) {
            return Reach.none("peer's loopback address is malformed: length=" + peerAddress.length + " bytes");
        }
        if (!peer.isOfThisProcess()) {
            return Reach.none("peer is in another process");
        }
        return Reach.by(
                PathClass.IN_PROCESS,
                "process " + ProcessHandle.current().pid(),
                List.of(),
                "both workers are in one process");
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        return new Registration(segment);
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return new LoopbackWorker(host, inboxMax);
    }

    @Override
    public void close() {
        // Workers and registrations are closed by now, and there is nothing else.
    }

    /** The id that travels in every key is all that a peer needs, so the transport's own part of the key is empty. */
    private record Registration(MemorySegment segment) implements RegisteredMemory {
        @Override
        public byte[] key() {
            return new byte[0];
        }

        @Override
        public void close() {
            // The core answers null for the region's id from now on, which is what unregisters it.
        }
    }
}
