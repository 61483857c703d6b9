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
     * Maps what the peer has offered.
     *
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if it was not offered by a process of this user on this host for this connection, {@code
     *     TRANSPORT} if it cannot be mapped
     */
    static PeerRing open(EndpointHost host, byte[] data) {
        RingOffer offer = RingOffer.decode(host, data);
        if (offer == null) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the peer's ring was not offered by a process of this user on this host, for this connection: endpoint="
                            + host.label());
        }
        try {
            MemoryFile file = MemoryFile.open(offer.key(), RingSlots.SLAB_SIZE);
            return new PeerRing(host, file, new RingWriter(RingSlots.ringAddress(file.address(), offer.index())));
        } catch (IOException gone) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "the peer's ring cannot be mapped: endpoint=" + host.label() + ", cause: " + gone.getMessage(),
                    gone);
        }
    }

    RingWriter writer() {
        return writer;
    }

    /** Wakes the peer if it rests; behind {@link Ring#fenceBeforeRestCheck}. */
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
