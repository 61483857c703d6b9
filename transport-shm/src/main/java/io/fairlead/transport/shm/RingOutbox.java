package io.fairlead.transport.shm;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The sends of an endpoint, and the signals of its puts, on their way into the peer's ring, in the order of their posts. Eager messages are in it with
 * their payload, unless they are lent; of long and synchronous ones it has an announcement, which keeps their matching in order.
 */
final class RingOutbox {
    /** Two copies of as much are cheaper than a call of the system, where processors share more than memory. */
    private static final int COPIED_MAX = 16 << 10;

    private final EndpointOwner owner;
    private final RendezvousOut rendezvous;
    private final Runnable signalLeft;
    private final int eagerMax;
    private @Nullable RingWriter out;
    /** Whether messages that are longer are lent. */
    private boolean lends;

    /** Operations for which there was no room. */
    private @Nullable Operation first;

    private @Nullable Operation last;
    /** Parts of long messages go before operations, in every other turn. */
    private boolean partsFirst;

    /**
     * Makes one.
     *
     * @param signalLeft notified of each signal that is written
     */
    RingOutbox(EndpointOwner owner, RendezvousOut rendezvous, Runnable signalLeft) {
        this.owner = owner;
        this.rendezvous = rendezvous;
        this.signalLeft = signalLeft;
        this.eagerMax = owner.host().eagerMax();
    }

    /**
     * This side writes to the peer's ring from now on.
     *
     * @param mayLend whether messages are to be read out of this process that are too long to be copied twice, where the reader may do that
     */
    void open(RingWriter ring, boolean mayLend) {
        out = ring;
        lends = mayLend && ring.allowsLending();
    }

    /** Takes in a send, or a put that is done but for its signal. */
    void post(Operation operation) {
        RingWriter ring = out;
        if (first == null && ring != null && tryWrite(ring, operation)) {
            return;
        }
        operation.next = null;
        Operation tail = last;
        if (tail == null) {
            first = operation;
            owner.markBacklogged();
        } else {
            tail.next = operation;
        }
        last = operation;
    }

    /** Sends a message that takes one record, if there is room and nothing is before it. */
    boolean trySend(MemorySegment buffer, long offset, long length, long tag) {
        RingWriter ring = out;
        if (ring == null
                || first != null
                || length > Math.min(eagerMax, Ring.PAYLOAD_MAX)
                || !tryWriteRecord(ring, buffer, offset, (int) length, tag)) {
            return false;
        }
        owner.markWritten();
        return true;
    }

    private static boolean tryWriteRecord(RingWriter ring, MemorySegment buffer, long offset, int length, long tag) {
        if (!ring.tryClaim(length)) {
            return false;
        }
        ring.put(0, buffer, offset, length);
        ring.publish(Ring.MESSAGE, length, tag, length);
        return true;
    }

    /** Does what is left to do, as far as there is room. */
    int catchUp() {
        RingWriter ring = Objects.requireNonNull(out, "out");
        int count = 0;
        partsFirst = !partsFirst;
        if (partsFirst) {
            count += rendezvous.writeParts(ring);
        }
        for (Operation operation = first; operation != null; operation = first) {
            Operation following = operation.next;
            operation.next = null;
            if (!tryWriteQueued(ring, operation)) {
                operation.next = following;
                break;
            }
            first = following;
            count++;
        }
        if (first == null) {
            last = null;
        }
        return count + rendezvous.writeParts(ring);
    }

    private boolean tryWriteQueued(RingWriter ring, Operation operation) {
        try {
            return tryWrite(ring, operation);
        } catch (IllegalStateException closed) {
            owner.failMemoryClosed(closed);
            return false;
        }
    }

    /** Whether nothing waits for room. */
    boolean isEmpty() {
        return first == null;
    }

    private boolean tryWrite(RingWriter ring, Operation operation) {
        long length = operation.length();
        if (operation.hasSignal()) {
            if (!ring.tryWrite(Ring.SIGNAL, 0, operation.operand())) {
                return false;
            }
            operation.complete(Status.OK, length);
            signalLeft.run();
        } else if (length > eagerMax || operation.isSynchronous()) {
            if (!rendezvous.tryAnnounce(ring, operation)) {
                return false;
            }
        } else if (lends && length > COPIED_MAX && operation.buffers() == null) {
            if (!rendezvous.tryLend(ring, operation)) {
                return false;
            }
        } else {
            if (length <= Ring.PAYLOAD_MAX
                    ? !tryWriteWhole(ring, operation, (int) length)
                    : !tryWriteParts(ring, operation)) {
                return false;
            }
            operation.complete(Status.OK, length);
        }
        owner.markWritten();
        return true;
    }

    private static boolean tryWriteWhole(RingWriter ring, Operation operation, int length) {
        if (operation.buffers() == null) {
            return tryWriteRecord(ring, operation.buffer(), operation.offset(), length, operation.tag());
        }
        if (!ring.tryClaim(length)) {
            return false;
        }
        RendezvousOut.put(ring, operation, 0, length);
        ring.publish(Ring.MESSAGE, length, operation.tag(), length);
        return true;
    }

    /** Writes as many parts as there is room for; what is written already is in the operation's word. */
    private boolean tryWriteParts(RingWriter ring, Operation operation) {
        long length = operation.length();
        while (operation.word < length) {
            int part = (int) Math.min(length - operation.word, Ring.PAYLOAD_MAX);
            if (!ring.tryClaim(part)) {
                return false;
            }
            try {
                RendezvousOut.put(ring, operation, operation.word, part);
            } catch (IllegalStateException closed) {
                if (operation.word > 0) {
                    // The peer waits for the rest.
                    owner.failMemoryClosed(closed);
                }
                throw closed;
            }
            if (operation.word == 0) {
                ring.publish(Ring.FIRST, length, operation.tag(), part);
            } else {
                ring.publish(Ring.MORE, part, 0, part);
            }
            operation.word += part;
            owner.markWritten();
        }
        return true;
    }

    /** The endpoint has ended, and so have the operations that wait here. */
    void close() {
        out = null;
        for (Operation operation = first; operation != null; operation = first) {
            first = operation.next;
            operation.next = null;
            operation.complete(Status.CANCELLED, 0);
        }
        last = null;
    }
}
