package io.fairlead.transport.shm;

import io.fairlead.spi.EndpointHost;
import org.jspecify.annotations.Nullable;

/** The ring that the peer of an endpoint reads, in the peer's memory, which is mapped into this process. */
class PeerRing extends RingWriter implements Lifeline.Watched, AutoCloseable {
    private final EndpointHost host;
    /** The address of the memory. */
    private long slab;

    /** Where the end of the peer's process is reported, and whose peer that is; null before {@link #watch}. */
    private @Nullable LostPeers lost;

    private @Nullable RingUser user;

    private PeerRing(EndpointHost host, long slab, long ring) {
        this(host, slab, ring, ring + Ring.RECORDS_AT);
    }

    PeerRing(EndpointHost host, long slab, long positions, long records) {
        super(positions, records);
        this.host = host;
        this.slab = slab;
    }

    /**
     * Goes to the end of a ring that the peer has passed.
     *
     * @param slab its memory; belongs to the ring if this does not throw
     */
    static PeerRing open(EndpointHost host, long slab) {
        return new PeerRing(host, slab, RingSlots.ringAddress(slab));
    }

    /** Wakes the peer if it rests; after {@link Ring#fenceBeforeRestCheck}. */
    void wake() {
        if (Ring.isResting(slab) && Ring.tryClaimWakeup(slab)) {
            host.wakePeer();
        }
    }

    /** Goes on in other memory, which belongs to the ring from now on. The memory before was released. */
    void move(long other) {
        slab = other;
        if (lost != null) {
            lost.watch(this);
        }
    }

    /** Has an endpoint ended when the peer's process is ending. */
    void watch(LostPeers losses, RingUser endpoint) {
        lost = losses;
        user = endpoint;
        losses.watch(this);
    }

    @Override
    public boolean isLost() {
        return Ring.isReaderLost(slab);
    }

    @Override
    public void reportLost() {
        if (lost != null && user != null) {
            lost.add(user);
        }
    }

    @Override
    public void close() {
        if (lost != null) {
            lost.forget(this);
        }
        MemoryFile.unmapOther(slab, RingSlots.SLAB_SIZE);
    }
}
