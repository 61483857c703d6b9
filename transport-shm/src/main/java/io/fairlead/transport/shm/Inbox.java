package io.fairlead.transport.shm;

import io.fairlead.spi.Arrival;
import io.fairlead.spi.served.RemoteRequester;
import io.fairlead.spi.served.RemoteResponder;
import org.jspecify.annotations.Nullable;

/** What comes out of the ring that an endpoint reads, and where it goes. */
final class Inbox {
    /** Records per turn: completions come before a flood. */
    private static final int RECORDS_MAX = 16;

    private final Owner owner;
    private final EagerArrivals eager;
    private final RendezvousIn coming;
    private final RendezvousOut leaving;
    private final ServedRing served;
    private final RemoteRequester requester;
    private final RemoteResponder responder;
    /** Null before the peer may write, and after what it wrote made no sense. */
    private @Nullable RingReader in;

    Inbox(
            Owner owner,
            EagerArrivals eager,
            RendezvousIn coming,
            RendezvousOut leaving,
            ServedRing served,
            RemoteRequester requester,
            RemoteResponder responder) {
        this.owner = owner;
        this.eager = eager;
        this.coming = coming;
        this.leaving = leaving;
        this.served = served;
        this.requester = requester;
        this.responder = responder;
    }

    /** The peer writes to this ring from now on. */
    void open(RingReader ring) {
        in = ring;
    }

    /** Whether something is here to read. */
    boolean hasRecord() {
        RingReader ring = in;
        return ring != null && ring.ready();
    }

    /** Takes what is here to the core's matching; what it throws ends the reading. */
    int read() {
        RingReader ring = in;
        if (ring == null) {
            return 0;
        }
        int count = 0;
        boolean sane = false;
        try {
            while (count < RECORDS_MAX && ring.next()) {
                count++;
                if (!takes(ring)) {
                    return count;
                }
                ring.done();
            }
            sane = true;
        } finally {
            if (!sane) {
                in = null;
            }
        }
        if (count == 0) {
            ring.tell();
        } else {
            ring.tellIfMuch();
            owner.host().heard();
        }
        return count;
    }

    /** False if nothing that follows makes sense. */
    private boolean takes(RingReader ring) {
        if (!ring.wellFormed()) {
            return nonsense(ring);
        }
        return switch (ring.kind()) {
            case Ring.MESSAGE -> eager.takesMessage(ring);
            case Ring.FIRST -> eager.takesFirst(ring);
            case Ring.MORE -> eager.takesMore(ring);
            case Ring.SIGNAL -> {
                owner.host().signalled(ring.tag());
                yield true;
            }
            case Ring.ANNOUNCEMENT -> coming.announced(ring);
            case Ring.WANTED -> leaving.wanted(ring.tag(), ring.length()) || nonsense(ring);
            case Ring.PART -> coming.takesPart(ring) || nonsense(ring);
            case Ring.TAKEN -> leaving.taken(ring.tag()) || nonsense(ring);
            default -> {
                served.take(ring, requester, responder);
                yield !owner.ended();
            }
        };
    }

    private boolean nonsense(RingReader ring) {
        owner.violated(ring.nonsense());
        return false;
    }

    /** A receive has matched a message that was announced to the core. */
    void deliver(Arrival arrival) {
        if (!eager.brings(arrival) && !coming.delivers(arrival)) {
            boolean _ = eager.delivers(arrival);
        }
    }

    /** Nobody will receive a message that was announced to the core. */
    void discard(Arrival arrival) {
        if (!coming.discards(arrival)) {
            eager.discard(arrival);
        }
    }

    /** The endpoint has ended, and with it what is on its way. */
    void close() {
        in = null;
        coming.close();
        eager.close();
    }
}
