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
import org.jspecify.annotations.Nullable;

/**
 * The loopback transport as one context uses it. What the contexts of this process share, workers and registered memory, is in
 * registries of the classes below; a transport itself holds nothing but its configuration.
 */
final class LoopbackTransport implements Transport {
    private static final String VERSION = "1";

    private final int inboxMax;

    LoopbackTransport(int inboxMax) {
        this.inboxMax = inboxMax;
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
    public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
        // Any native memory of the process is as good as any other.
        return null;
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        return LoopbackMemory.register(segment, rights);
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return new LoopbackWorker(host, inboxMax);
    }

    @Override
    public void close() {
        // Workers and registrations are closed by now, and there is nothing else.
    }
}
