package io.fairlead.transport.shm;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import java.io.IOException;

/** The ring that the peer of an endpoint reads, in the peer's memory, which is mapped into this process. */
final class PeerRing extends RingWriter implements AutoCloseable {
    private final EndpointHost host;
    /** The address of the memory. */
    private final long slab;

    private PeerRing(EndpointHost host, long slab, long ring) {
        super(ring);
        this.host = host;
        this.slab = slab;
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
        long slab = MemoryFile.mapOther(offer.key(), RingSlots.SLAB_SIZE);
        try {
            long ring = RingSlots.ringAddress(slab, offer.index());
            if (!Ring.isSealed(ring, offer.seal())) {
                throw notOffered(host);
            }
            return new PeerRing(host, slab, ring);
        } catch (RuntimeException | Error failure) {
            MemoryFile.unmapOther(slab, RingSlots.SLAB_SIZE);
            throw failure;
        }
    }

    private static FairleadException notOffered(EndpointHost host) {
        return new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                "the ring was not offered by this connection's peer, or is not its own: endpoint=" + host.label());
    }

    /** Wakes the peer if it rests; after {@link Ring#fenceBeforeRestCheck}. */
    void wake() {
        if (Ring.isResting(slab) && Ring.tryClaimWakeup(slab)) {
            host.wakePeer();
        }
    }

    @Override
    public void close() {
        MemoryFile.unmapOther(slab, RingSlots.SLAB_SIZE);
    }
}
