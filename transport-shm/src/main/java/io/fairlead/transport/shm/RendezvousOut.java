package io.fairlead.transport.shm;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The long and the synchronous messages that an endpoint sends. It announces them in the peer's ring and leaves their
 * payload in place. After a match the receiver reads the payload from this process and reports that, or requests it in
 * parts through its ring. It reads single-copy messages at once.
 */
final class RendezvousOut {
    /** An outgoing message, from its announcement to its end. */
    private static final class Outgoing {
        final int number;

        @Nullable Operation operation;
        /** The number of bytes that the peer has requested in parts; 0 if none. */
        long wanted;

        long written;

        Outgoing(int number) {
            this.number = number;
        }
    }

    private final EndpointOwner owner;
    /** By their numbers, which are reused. */
    private final List<Outgoing> all = new ArrayList<>();

    private final ArrayDeque<Outgoing> unused = new ArrayDeque<>();
    /** Messages that are sent in parts, in the order of the peer's requests. */
    private final ArrayDeque<Outgoing> leaving = new ArrayDeque<>();

    RendezvousOut(EndpointOwner owner) {
        this.owner = owner;
    }

    /** Announces a message; false if the ring is full. */
    boolean tryAnnounce(RingWriter ring, Operation operation) {
        return tryAnnounce(ring, operation, Ring.ANNOUNCEMENT);
    }

    /** Announces a message whose payload the receiver reads at once, matched or not; false if the ring is full. */
    boolean tryAnnounceSingleCopy(RingWriter ring, Operation operation) {
        return tryAnnounce(ring, operation, Ring.SINGLE_COPY);
    }

    /** Announces an active message; false if the ring is full. */
    boolean tryAnnounceActive(RingWriter ring, Operation operation) {
        if (isFull() || !ring.tryClaim(Ring.ACTIVE_ANNOUNCEMENT_PAYLOAD)) {
            return false;
        }
        MemorySegment header = operation.header();
        ring.put(Ring.ANNOUNCEMENT_PAYLOAD, header, 0, header.byteSize());
        fill(ring, operation);
        ring.publish(
                Ring.ACTIVE_ANNOUNCEMENT,
                operation.length(),
                Ring.target(operation.handler(), (int) header.byteSize()),
                Ring.ACTIVE_ANNOUNCEMENT_PAYLOAD);
        return true;
    }

    private boolean tryAnnounce(RingWriter ring, Operation operation, int kind) {
        if (isFull() || !ring.tryClaim(Ring.ANNOUNCEMENT_PAYLOAD)) {
            return false;
        }
        fill(ring, operation);
        ring.publish(kind, operation.length(), operation.tag(), Ring.ANNOUNCEMENT_PAYLOAD);
        return true;
    }

    private void fill(RingWriter ring, Operation operation) {
        Outgoing message = take();
        message.operation = operation;
        ring.number(0, message.number);
        ring.number(
                Long.BYTES,
                operation.buffers() == null && operation.length() > 0
                        ? operation.buffer().address() + operation.offset()
                        : 0);
    }

    /** Whether the peer must answer a message before the next one may be announced. */
    private boolean isFull() {
        return all.size() - unused.size() == RendezvousIn.OPEN_MAX;
    }

    private Outgoing take() {
        if (!unused.isEmpty()) {
            return unused.pop();
        }
        Outgoing message = new Outgoing(all.size());
        all.add(message);
        return message;
    }

    private void end(Outgoing message, Status status) {
        Operation operation = Objects.requireNonNull(message.operation, "operation");
        message.operation = null;
        message.wanted = 0;
        message.written = 0;
        if (isFull()) {
            // Operations that wait for a slot can go on.
            owner.markBacklogged();
        }
        unused.push(message);
        operation.complete(status, status == Status.OK ? operation.length() : 0);
    }

    /** The message with a number, if the peer may refer to it. */
    private @Nullable Outgoing waiting(long number) {
        Outgoing message = number >= 0 && number < all.size() ? all.get((int) number) : null;
        return message == null || message.operation == null || message.wanted > 0 ? null : message;
    }

    /**
     * The receiver has finished with a message.
     *
     * @return false if no message with that number was announced
     */
    boolean tryEnd(long number) {
        Outgoing message = waiting(number);
        if (message == null) {
            return false;
        }
        if (isAlive(Objects.requireNonNull(message.operation, "operation"))) {
            end(message, Status.OK);
        } else {
            // The peer has read by address whatever was there, which is unknown.
            owner.failMemoryClosed(new IllegalStateException("the peer may have read other memory"));
        }
        return true;
    }

    private static boolean isAlive(Operation operation) {
        MemorySegment[] buffers = operation.buffers();
        if (buffers == null) {
            return operation.buffer().scope().isAlive();
        }
        for (MemorySegment buffer : buffers) {
            if (!buffer.scope().isAlive()) {
                return false;
            }
        }
        return true;
    }

    /**
     * The peer requests the first bytes of a message in parts.
     *
     * @return false if no message with that number and length was announced
     */
    boolean tryRequest(long number, long bytes) {
        Outgoing message = waiting(number);
        if (message == null
                || bytes <= 0
                || bytes
                        > Objects.requireNonNull(message.operation, "operation").length()) {
            return false;
        }
        message.wanted = bytes;
        leaving.add(message);
        owner.markBacklogged();
        return true;
    }

    /** Writes as much of the requested payloads as the ring has capacity for. */
    int writeParts(RingWriter ring) {
        int count = 0;
        for (Outgoing message = leaving.peek(); message != null; message = leaving.peek()) {
            Operation operation = Objects.requireNonNull(message.operation, "operation");
            while (message.written < message.wanted) {
                int part = (int) Math.min(message.wanted - message.written, Ring.PAYLOAD_MAX);
                if (!ring.tryClaim(part)) {
                    return count;
                }
                try {
                    put(ring, operation, message.written, part);
                } catch (IllegalStateException closed) {
                    owner.failMemoryClosed(closed);
                    return count;
                }
                ring.publish(Ring.PART, part, 0, part);
                message.written += part;
                count++;
            }
            leaving.remove();
            end(message, Status.OK);
        }
        return count;
    }

    /** Copies a part of an operation's payload into the claimed record. */
    static void put(RingWriter ring, Operation operation, long from, long bytes) {
        put(ring, 0, operation, from, bytes);
    }

    /** Copies a part of an operation's payload into the claimed record, behind other bytes. */
    static void put(RingWriter ring, long start, Operation operation, long from, long bytes) {
        MemorySegment[] buffers = operation.buffers();
        if (buffers == null) {
            ring.put(start, operation.buffer(), operation.offset() + from, bytes);
            return;
        }
        long at = start;
        long end = start + bytes;
        long skipped = from;
        for (MemorySegment buffer : buffers) {
            long here = Math.min(Math.max(buffer.byteSize() - skipped, 0), end - at);
            if (here > 0) {
                ring.put(at, buffer, skipped, here);
                at += here;
            }
            skipped = Math.max(skipped - buffer.byteSize(), 0);
        }
    }

    /** Whether no message waits for the peer. */
    boolean isDrained() {
        return unused.size() == all.size();
    }

    /** Whether there is nothing to do, neither now nor when the ring has capacity. */
    boolean isIdle() {
        return leaving.isEmpty();
    }

    /** The endpoint has ended, and with it messages in progress. */
    void close() {
        leaving.clear();
        for (Outgoing message : all) {
            if (message.operation != null) {
                end(message, Status.CANCELLED);
            }
        }
    }
}
