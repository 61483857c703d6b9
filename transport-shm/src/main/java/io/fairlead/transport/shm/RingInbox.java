package io.fairlead.transport.shm;

import io.fairlead.spi.Arrival;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.served.RemoteRequester;
import io.fairlead.spi.served.RemoteResponder;
import org.jspecify.annotations.Nullable;

/** What comes out of the ring that an endpoint reads, and where it goes. */
final class RingInbox {
    /** Records per turn: completions come before a flood. */
    private static final int RECORDS_MAX = 16;

    private final EndpointOwner owner;
    private final EagerArrivals eager;
    private final LentArrivals lent;
    private final RendezvousIn coming;
    private final RendezvousOut leaving;
    private final ServedRing served;
    private final RemoteRequester requester;
    private final RemoteResponder responder;
    /** Null before the peer may write, and after what it wrote made no sense. */
    private @Nullable RingReader in;

    RingInbox(
            EndpointOwner owner,
            EagerArrivals eager,
            LentArrivals lent,
            RendezvousIn coming,
            RendezvousOut leaving,
            ServedRing served,
            RemoteRequester requester,
            RemoteResponder responder) {
        this.owner = owner;
        this.eager = eager;
        this.lent = lent;
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

    /** Whether something is here to read, or the peer to be woken; before this side rests. */
    boolean hasWork() {
        RingReader ring = in;
        if (ring == null) {
            return false;
        }
        if (ring.tryTakeWish()) {
            owner.markWritten();
            return true;
        }
        return ring.hasRecord();
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
            while (count < RECORDS_MAX && ring.tryNext()) {
                count++;
                if (!tryTake(ring)) {
                    return count;
                }
                ring.advance();
                // The writer of a message that takes several rings full goes on while the rest is read.
                ring.tellIfMuch();
            }
            sane = true;
        } finally {
            if (!sane) {
                in = null;
            }
        }
        if (count == 0 && ring.isRoomWanted()) {
            owner.markWritten();
        }
        return count;
    }

    /** False if nothing that follows makes sense. */
    private boolean tryTake(RingReader ring) {
        if (!ring.isWellFormed()) {
            return failMalformed(ring);
        }
        return switch (ring.kind()) {
            case Ring.MESSAGE -> eager.tryTakeMessage(ring);
            case Ring.FIRST -> eager.tryTakeFirst(ring);
            case Ring.MORE -> eager.tryTakeMore(ring);
            case Ring.SIGNAL -> {
                owner.host().signalled(ring.tag());
                yield true;
            }
            case Ring.ANNOUNCEMENT -> coming.tryAdd(ring);
            case Ring.LENT -> lent.tryTake(ring);
            case Ring.WANTED -> leaving.tryRequest(ring.tag(), ring.length()) || failMalformed(ring);
            case Ring.PART -> coming.tryTakePart(ring) || failMalformed(ring);
            case Ring.TAKEN -> leaving.tryEnd(ring.tag()) || failMalformed(ring);
            default -> {
                served.take(ring, requester, responder);
                yield !owner.hasEnded();
            }
        };
    }

    private boolean failMalformed(RingReader ring) {
        owner.failViolation(ring.malformedText());
        return false;
    }

    /** A receive has matched a message that was announced to the core. */
    void deliver(Arrival arrival) {
        if (!eager.isArriving(arrival) && !coming.tryDeliver(arrival)) {
            boolean _ = eager.tryDeliver(arrival);
        }
    }

    /** Nobody will receive a message that was announced to the core. */
    void discard(Arrival arrival) {
        if (!coming.tryDiscard(arrival)) {
            eager.discard(arrival);
        }
    }

    /** The endpoint has ended, and with it what is on its way. */
    void close() {
        in = null;
        CloseSteps.runAll(coming::close, eager::close);
    }
}
