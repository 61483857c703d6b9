package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import java.io.IOException;

/** The ring that the peer of an endpoint reads, mapped into this process. */
final class PeerRing implements AutoCloseable {
    private final EndpointHost host;
    private final MemoryFile file;
    private final RingWriter writer;

    private PeerRing(EndpointHost host, MemoryFile file, RingWriter writer) {
        this.host = host;
        this.file = file;
        this.writer = writer;
    }

    /**
     * Maps the ring that the peer has offered.
     *
     * @param process the peer's process id
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if the offer is not for this connection or the ring is not
     *     the peer's
     * @throws IOException if it cannot be mapped; the peer may have freed it since
     */
    static PeerRing open(EndpointHost host, RingOffer.Sealer sealer, int process, byte[] data) throws IOException {
        RingOffer offer = sealer.read(data);
        if (offer == null || !MemoryFile.isOfProcess(offer.key()) || MemoryFile.process(offer.key()) != process) {
            throw notOffered(host);
        }
        MemoryFile file = MemoryFile.open(offer.key(), RingSlots.SLAB_SIZE);
        long ring = RingSlots.ringAddress(file.address(), offer.index());
        if (!Ring.isSealed(ring, offer.seal())) {
            file.close();
            throw notOffered(host);
        }
        return new PeerRing(host, file, new RingWriter(ring));
    }

    private static FairleadException notOffered(EndpointHost host) {
        return new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                "the ring was not offered by this connection's peer, or is not its own: endpoint=" + host.label());
    }

    RingWriter writer() {
        return writer;
    }

    /** Wakes the peer if it rests; after {@link Ring#fenceBeforeRestCheck}. */
    void wake() {
        if (Ring.isResting(file.address()) && Ring.tryClaimWakeup(file.address())) {
            host.wakePeer();
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
