package io.fairlead.transport.shm;

import io.fairlead.spi.Arrival;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.served.RemoteRequester;
import io.fairlead.spi.served.RemoteResponder;
import org.jspecify.annotations.Nullable;

/** Dispatches the records of the ring that an endpoint reads. */
final class RingInbox {
    /** Maximum number of records per turn: completions run before further records are read. */
    private static final int RECORDS_MAX = 16;

    private final EndpointOwner owner;
    private final EagerArrivals eager;
    private final SingleCopyArrivals singleCopies;
    private final RendezvousIn coming;
    private final RendezvousOut leaving;
    private final ServedRing served;
    private final RemoteRequester requester;
    private final RemoteResponder responder;
    /** Null before the peer may write, and after a malformed record. */
    private @Nullable RingReader in;

    RingInbox(
            EndpointOwner owner,
            EagerArrivals eager,
            SingleCopyArrivals singleCopies,
            RendezvousIn coming,
            RendezvousOut leaving,
            ServedRing served,
            RemoteRequester requester,
            RemoteResponder responder) {
        this.owner = owner;
        this.eager = eager;
        this.singleCopies = singleCopies;
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

    /** Whether there is a record to read, or the peer must be woken; before this side rests. */
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

    /** Passes the records to the core's matching; an exception ends the reading. */
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
                if (ring.isWholeMessage() ? !eager.tryTakeMessage(ring) : !tryTake(ring)) {
                    return count;
                }
                // The writer of a message of several rings' size goes on while the rest is read.
                ring.advanceAndPublish();
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

    /** False if the ring is unusable from here on. */
    private boolean tryTake(RingReader ring) {
        if (!ring.isWellFormed()) {
            return failMalformed(ring);
        }
        return switch (ring.kind()) {
            case Ring.FIRST -> eager.tryTakeFirst(ring);
            case Ring.MORE -> eager.tryTakeMore(ring);
            case Ring.ACTIVE -> eager.tryTakeActive(ring);
            case Ring.ACTIVE_FIRST -> eager.tryTakeActiveFirst(ring);
            case Ring.ACTIVE_ANNOUNCEMENT -> coming.tryAddActive(ring);
            case Ring.SIGNAL -> {
                owner.host().signalled(ring.tag());
                yield true;
            }
            case Ring.ANNOUNCEMENT -> coming.tryAdd(ring);
            case Ring.SINGLE_COPY -> singleCopies.tryTake(ring);
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

    /** A receive has matched a message that was reported to the core. */
    void deliver(Arrival arrival) {
        if (!eager.isArriving(arrival) && !coming.tryDeliver(arrival)) {
            boolean _ = eager.tryDeliver(arrival);
        }
    }

    /** No receive will match a message that was reported to the core. */
    void discard(Arrival arrival) {
        if (!coming.tryDiscard(arrival)) {
            eager.discard(arrival);
        }
    }

    /** The endpoint has ended, and with it messages in progress. */
    void close() {
        in = null;
        CloseSteps.runAll(coming::close, eager::close);
    }
}
