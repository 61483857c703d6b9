package io.fairlead.transport.shm;

import io.fairlead.spi.Arrival;
import io.fairlead.spi.CloseSteps;
import org.jspecify.annotations.Nullable;

/** Dispatches the records of the ring that an endpoint reads. */
final class RingInbox {
    /** Maximum number of records per turn: completions run before further records are read. */
    private static final int RECORDS_MAX = 16;

    private final EndpointOwner owner;
    private final EagerArrivals eager;
    private final RingOutbox outbox;
    private final ProcessRead memory;
    /** The peer's process; null if reading it is not allowed. */
    private @Nullable PinnedProcess process;

    /** Null before the first message whose payload is in the peer's process. */
    private @Nullable RendezvousIn rendezvous;

    private @Nullable SingleCopyArrivals singleCopies;
    /** Null before the peer may write, and after a malformed record. */
    private @Nullable RingReader in;

    RingInbox(
            EndpointOwner owner,
            EagerArrivals eager,
            RingOutbox outbox,
            ProcessRead memory,
            @Nullable PinnedProcess process) {
        this.owner = owner;
        this.eager = eager;
        this.outbox = outbox;
        this.memory = memory;
        this.process = process;
    }

    /** The messages whose payload is in the peer's process; null if there has been none. */
    @Nullable RendezvousIn announced() {
        return rendezvous;
    }

    private RendezvousIn rendezvous() {
        RendezvousIn known = rendezvous;
        if (known == null) {
            known = new RendezvousIn(owner, memory, process);
            rendezvous = known;
        }
        return known;
    }

    private SingleCopyArrivals singleCopies() {
        SingleCopyArrivals known = singleCopies;
        if (known == null) {
            known = new SingleCopyArrivals(owner, memory, process, eager, rendezvous(), outbox);
            singleCopies = known;
        }
        return known;
    }

    /** The peer writes to this ring from now on. */
    void open(RingReader ring) {
        in = ring;
    }

    /** Goes on with another ring, and reads the peer's process no more. */
    void leave(RingReader ring) {
        in = ring;
        process = null;
        singleCopies = null;
        if (rendezvous != null) {
            rendezvous.forbidReading();
        }
    }

    /** Both sides are back on rings: reads the peer's process, if that is allowed. */
    void allowReading(@Nullable PinnedProcess peer) {
        process = peer;
        singleCopies = null;
        if (rendezvous != null) {
            rendezvous.allowReading(peer);
        }
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
            case Ring.ACTIVE_ANNOUNCEMENT -> rendezvous().tryAddActive(ring);
            case Ring.SIGNAL -> {
                owner.host().signalled(ring.tag());
                yield true;
            }
            case Ring.ANNOUNCEMENT -> rendezvous().tryAdd(ring);
            case Ring.SINGLE_COPY -> singleCopies().tryTake(ring);
            case Ring.WANTED -> {
                RendezvousOut leaving = outbox.announced();
                yield (leaving != null && leaving.tryRequest(ring.tag(), ring.length())) || failMalformed(ring);
            }
            case Ring.PART -> (rendezvous != null && rendezvous.tryTakePart(ring)) || failMalformed(ring);
            case Ring.TAKEN -> {
                RendezvousOut leaving = outbox.announced();
                yield (leaving != null && leaving.tryEnd(ring.tag())) || failMalformed(ring);
            }
            default -> {
                owner.takeServed(ring);
                yield !owner.hasEnded();
            }
        };
    }

    private boolean failMalformed(RingReader ring) {
        owner.failLane(ring.malformedText());
        return false;
    }

    /** A receive has matched a message that was reported to the core. */
    void deliver(Arrival arrival) {
        if (!eager.isArriving(arrival) && (rendezvous == null || !rendezvous.tryDeliver(arrival))) {
            boolean _ = eager.tryDeliver(arrival);
        }
    }

    /** No receive will match a message that was reported to the core. */
    void discard(Arrival arrival) {
        if (rendezvous == null || !rendezvous.tryDiscard(arrival)) {
            eager.discard(arrival);
        }
    }

    /** The endpoint has ended, and with it messages in progress. */
    void close() {
        in = null;
        RendezvousIn open = rendezvous;
        if (open == null) {
            eager.close();
        } else {
            CloseSteps.runAll(open::close, eager::close);
        }
    }
}
