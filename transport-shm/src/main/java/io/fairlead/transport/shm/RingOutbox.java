package io.fairlead.transport.shm;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The sends of an endpoint, and the signals of its puts, on their way to the peer's ring, in the order of their posts.
 * Eager messages are written with their payload, unless they are single-copy messages. Long and synchronous ones are
 * announced, which keeps their matching in order.
 */
final class RingOutbox {
    /** Two copies up to this length are cheaper than a system call, if processors share more than memory. */
    private static final int COPIED_MAX = 16 << 10;

    private final EndpointOwner owner;
    private final int eagerMax;
    private @Nullable RingWriter out;
    /** Null before the first message that stays in its sender's memory. */
    private @Nullable RendezvousOut rendezvous;

    /** Whether longer messages are sent by single copy. */
    private boolean singleCopy;

    /** Operations that wait for the ring's capacity. */
    private @Nullable Operation first;

    private @Nullable Operation last;
    /** Parts of long messages precede operations, in every other turn. */
    private boolean partsFirst;

    RingOutbox(EndpointOwner owner) {
        this.owner = owner;
        this.eagerMax = owner.host().eagerMax();
    }

    /**
     * This side writes to the peer's ring from now on.
     *
     * @param maySingleCopy whether messages that are too long for two copies are to be read from this process, if the reader
     *     may do that
     */
    void open(RingWriter ring, boolean maySingleCopy) {
        out = ring;
        singleCopy = maySingleCopy && ring.allowsSingleCopy();
    }

    /** The peer reads this process no more. */
    void endSingleCopy() {
        singleCopy = false;
    }

    /** The peer's ring; null while this side must not write to it. */
    @Nullable RingWriter ring() {
        return out;
    }

    /** The messages that stay in this side's memory; null if there has been none. */
    @Nullable RendezvousOut announced() {
        return rendezvous;
    }

    private RendezvousOut rendezvous() {
        RendezvousOut known = rendezvous;
        if (known == null) {
            known = new RendezvousOut(owner);
            rendezvous = known;
        }
        return known;
    }

    /** Takes a send, or a put that is done except for its signal. */
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

    /** Sends a message of one record, if the ring has capacity and no operation waits. */
    boolean trySend(MemorySegment buffer, long offset, long length, long tag) {
        RingWriter ring = out;
        if (ring == null
                || first != null
                || length > Math.min(eagerMax, Ring.PAYLOAD_MAX)
                || !ring.tryWriteMessage(buffer, offset, (int) length, tag)) {
            return false;
        }
        owner.markWritten();
        return true;
    }

    /** Sends an active message that fits into one record, unless others wait. */
    boolean trySendActive(int handler, MemorySegment header, MemorySegment buffer, long offset, long length) {
        RingWriter ring = out;
        int headerLength = (int) header.byteSize();
        if (ring == null
                || first != null
                || length > eagerMax
                || headerLength + length > Ring.PAYLOAD_MAX
                || !ring.tryClaim(headerLength + (int) length)) {
            return false;
        }
        ring.put(0, header, 0, headerLength);
        ring.put(headerLength, buffer, offset, length);
        int bytes = headerLength + (int) length;
        ring.publish(Ring.ACTIVE, bytes, Ring.target(handler, headerLength), bytes);
        owner.markWritten();
        return true;
    }

    /** Does the remaining work, as far as the ring has capacity. */
    int catchUp() {
        RingWriter ring = Objects.requireNonNull(out, "out");
        int count = 0;
        partsFirst = !partsFirst;
        if (partsFirst) {
            count += writeParts(ring);
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
        return count + writeParts(ring);
    }

    private int writeParts(RingWriter ring) {
        return rendezvous == null ? 0 : rendezvous.writeParts(ring);
    }

    private boolean tryWriteQueued(RingWriter ring, Operation operation) {
        try {
            return tryWrite(ring, operation);
        } catch (IllegalStateException closed) {
            owner.failMemoryClosed(closed);
            return false;
        }
    }

    /** Whether no operation waits for capacity. */
    boolean isEmpty() {
        return first == null;
    }

    /** Whether there is nothing to do, neither now nor when the ring has capacity. */
    boolean isIdle() {
        return first == null && (rendezvous == null || rendezvous.isIdle());
    }

    /** Whether nothing waits for capacity or for the peer. */
    boolean isDrained() {
        return first == null && (rendezvous == null || rendezvous.isDrained());
    }

    private boolean tryWrite(RingWriter ring, Operation operation) {
        long length = operation.length();
        if (operation.hasSignal()) {
            if (!ring.tryWrite(Ring.SIGNAL, 0, operation.operand())) {
                return false;
            }
            operation.complete(Status.OK, length);
            owner.signalLeft();
        } else if (operation.isActive()) {
            if (length > eagerMax) {
                if (!rendezvous().tryAnnounceActive(ring, operation)) {
                    return false;
                }
            } else {
                if (!tryWriteActive(ring, operation)) {
                    return false;
                }
                operation.complete(Status.OK, length);
            }
        } else if (length > eagerMax || operation.isSynchronous()) {
            if (!rendezvous().tryAnnounce(ring, operation)) {
                return false;
            }
        } else if (singleCopy && length > COPIED_MAX && operation.buffers() == null && operation.word == 0) {
            // One of which parts are sent goes on in parts.
            if (!rendezvous().tryAnnounceSingleCopy(ring, operation)) {
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
            return ring.tryWriteMessage(operation.buffer(), operation.offset(), length, operation.tag());
        }
        if (!ring.tryClaim(length)) {
            return false;
        }
        RendezvousOut.put(ring, operation, 0, length);
        ring.publish(Ring.MESSAGE, length, operation.tag(), length);
        return true;
    }

    /** Writes header and payload as one message, in as many records as it takes. */
    private boolean tryWriteActive(RingWriter ring, Operation operation) {
        MemorySegment header = operation.header();
        int headerLength = (int) header.byteSize();
        long target = Ring.target(operation.handler(), headerLength);
        long length = headerLength + operation.length();
        if (operation.word == 0) {
            int part = (int) Math.min(length, Ring.PAYLOAD_MAX);
            if (!ring.tryClaim(part)) {
                return false;
            }
            ring.put(0, header, 0, headerLength);
            RendezvousOut.put(ring, headerLength, operation, 0, part - headerLength);
            ring.publish(length <= Ring.PAYLOAD_MAX ? Ring.ACTIVE : Ring.ACTIVE_FIRST, length, target, part);
            if (part == length) {
                return true;
            }
            operation.word = (long) part - headerLength;
            owner.markWritten();
        }
        return tryWriteMore(ring, operation);
    }

    /** Writes as many parts as the ring has capacity for; the operation's word is the number of bytes written. */
    private boolean tryWriteParts(RingWriter ring, Operation operation) {
        if (operation.word == 0) {
            if (!ring.tryClaim(Ring.PAYLOAD_MAX)) {
                return false;
            }
            RendezvousOut.put(ring, operation, 0, Ring.PAYLOAD_MAX);
            ring.publish(Ring.FIRST, operation.length(), operation.tag(), Ring.PAYLOAD_MAX);
            operation.word = Ring.PAYLOAD_MAX;
            owner.markWritten();
        }
        return tryWriteMore(ring, operation);
    }

    /** Writes the parts after the first one. */
    private boolean tryWriteMore(RingWriter ring, Operation operation) {
        long length = operation.length();
        while (operation.word < length) {
            int part = (int) Math.min(length - operation.word, Ring.PAYLOAD_MAX);
            if (!ring.tryClaim(part)) {
                return false;
            }
            try {
                RendezvousOut.put(ring, operation, operation.word, part);
            } catch (IllegalStateException closed) {
                // The peer waits for the rest.
                owner.failMemoryClosed(closed);
                throw closed;
            }
            ring.publish(Ring.MORE, part, 0, part);
            operation.word += part;
            owner.markWritten();
        }
        return true;
    }

    /** Nothing is written to the peer's ring any more. */
    void stop() {
        out = null;
    }

    /** The endpoint has ended, and with it the waiting operations and the messages in progress. */
    void close() {
        stop();
        for (Operation operation = first; operation != null; operation = first) {
            first = operation.next;
            operation.next = null;
            operation.complete(Status.CANCELLED, 0);
        }
        last = null;
        if (rendezvous != null) {
            rendezvous.close();
        }
    }
}
