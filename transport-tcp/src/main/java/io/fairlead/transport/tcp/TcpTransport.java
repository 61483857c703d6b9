package io.fairlead.transport.tcp;

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

/** The transport of one context. It has only its settings: software access needs no registration of memory. */
final class TcpTransport implements Transport {
    private static final Set<Capability> CAPABILITIES = Set.copyOf(EnumSet.of(
            Capability.TAGGED,
            Capability.SYNCHRONOUS_SEND,
            Capability.PUT,
            Capability.GET,
            Capability.PUT_SIGNAL,
            Capability.ATOMIC,
            Capability.BLOCKING_WAIT));
    private static final byte[] NOTHING = new byte[0];

    private final TcpSettings settings;

    TcpTransport(TcpSettings settings) {
        this.settings = settings;
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public String version() {
        return TcpFrame.VERSION;
    }

    @Override
    public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
        if (!peerVersion.equals(TcpFrame.VERSION)) {
            return Reach.none("tcp frames of another version: local=" + TcpFrame.VERSION + ", peer=" + peerVersion);
        }
        return Reach.by(PathClass.TCP, "tcp", List.of("tcp"), "over the control connection");
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        return new Registration(segment);
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return new TcpWorker(host, settings);
    }

    @Override
    public void close() {
        // There are no resources: workers have freed theirs.
    }

    /** The region id in every key is sufficient for a peer, so the transport's own part of the key is empty. */
    private record Registration(MemorySegment segment) implements RegisteredMemory {
        @Override
        public byte[] key() {
            return NOTHING;
        }

        @Override
        public void close() {
            // From now on the core returns null for the region's id, which is the unregistration.
        }
    }
}
