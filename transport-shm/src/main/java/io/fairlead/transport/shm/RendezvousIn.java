package io.fairlead.transport.shm;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The long and the synchronous messages that an endpoint receives. After a match, the payload is read from the sender's
 * process with one copy and one system call. If the kernel forbids that, or the message has several buffers, it arrives
 * in parts.
 */
final class RendezvousIn {
    /** Maximum bytes that a turn reads for an endpoint, so a huge message does not delay the others. */
    private static final long READ_MAX = 1 << 20;

    /**
     * Maximum number of a peer's unanswered announced and single-copy messages, which bounds this side's memory for
     * them.
     */
    static final int OPEN_MAX = 16_384;

    /** An incoming message, from its announcement to the answer. */
    private static final class Incoming {
        /** The sender's number for it. */
        long number;
        /** Its address in the sender's process; 0 if it has to arrive in parts. */
        long address;

        @Nullable Arrival arrival;
        /** The number of bytes that the receive has capacity for, and the number that have arrived. */
        long wanted;

        long done;
    }

    private final EndpointOwner owner;
    private final ProcessRead memory;
    /** The sender's process; null if reading it is not allowed. */
    private @Nullable PinnedProcess process;

    /**
     * The messages that this side reads, the messages to be answered, and the messages that arrive in parts. The last
     * are in the order of the answers.
     */
    private final ArrayDeque<Incoming> reading = new ArrayDeque<>();

    private final ArrayDeque<Incoming> unanswered = new ArrayDeque<>();
    private final ArrayDeque<Incoming> coming = new ArrayDeque<>();
    private final ArrayDeque<Incoming> spare = new ArrayDeque<>();
    /** The number of unanswered messages. */
    private int open;
    /** The kernel has refused reading the peer. */
    private boolean forbidden;

    RendezvousIn(EndpointOwner owner, ProcessRead memory, @Nullable PinnedProcess process) {
        this.owner = owner;
        this.memory = memory;
        this.process = process;
    }

    /** The peer has announced a message; false if it must not. */
    boolean tryAdd(RingReader ring) {
        EndpointHost host = owner.host();
        if (!hasRoom()) {
            return false;
        }
        long length = ring.length();
        Arrival.Place place = length <= host.eagerMax() ? Arrival.Place.EAGER : Arrival.Place.SENDER;
        Arrival arrival = host.arrived(ring.tag(), length, place);
        if (arrival == null) {
            return false;
        }
        add(ring, arrival);
        return true;
    }

    /** The peer has announced an active message; false if it must not. */
    boolean tryAddActive(RingReader ring) {
        if (!hasRoom()) {
            return false;
        }
        long target = ring.tag();
        Arrival arrival = owner.host()
                .activeAnnounced(
                        Ring.number(target),
                        ring.memory(),
                        ring.payloadAt() + Ring.ANNOUNCEMENT_PAYLOAD,
                        Ring.headerLength(target),
                        ring.length());
        if (arrival == null) {
            return false;
        }
        add(ring, arrival);
        return true;
    }

    /** Adds a message that the core has already, as one that stays at its sender until a receive has matched it. */
    void add(RingReader ring, Arrival arrival) {
        Incoming message = take(ring);
        message.arrival = arrival;
        message.address = ring.number(Long.BYTES);
        arrival.attachment = message;
        if (arrival.operation() != null) {
            begin(message, arrival);
        }
    }

    /** Whether the peer may announce another message; if not, the endpoint fails. */
    boolean hasRoom() {
        if (open == OPEN_MAX) {
            owner.failViolation("peer announces more messages than it has read answers for: unanswered=" + open
                    + ", allowed " + OPEN_MAX);
            return false;
        }
        return true;
    }

    private Incoming take(RingReader ring) {
        open++;
        Incoming message = spare.isEmpty() ? new Incoming() : spare.pop();
        message.number = ring.number(0);
        return message;
    }

    /** The payload of a message has arrived; the sender must be notified. */
    void taken(RingReader ring) {
        unanswered.add(take(ring));
        owner.markBacklogged();
    }

    /** A receive has matched an announced message; false if it is not one of these. */
    boolean tryDeliver(Arrival arrival) {
        if (!(arrival.attachment instanceof Incoming message)) {
            return false;
        }
        begin(message, arrival);
        return true;
    }

    private void begin(Incoming message, Arrival arrival) {
        message.done = 0;
        message.wanted = Math.min(arrival.length(), receive(message).length());
        if (message.wanted == 0) {
            finish(message);
        } else if (process != null && message.address != 0 && !forbidden) {
            reading.add(message);
        } else {
            unanswered.add(message);
        }
        owner.markBacklogged();
    }

    private static Operation receive(Incoming message) {
        return Objects.requireNonNull(
                Objects.requireNonNull(message.arrival, "arrival").operation(), "operation");
    }

    /** The receive's buffer has all that fits. */
    private void finish(Incoming message) {
        long length = Objects.requireNonNull(message.arrival, "arrival").length();
        Operation receive = receive(message);
        message.arrival = null;
        receive.complete(Status.OK, length);
        unanswered.add(message);
    }

    /** An announced message is no longer needed; false if it is not one of these. */
    boolean tryDiscard(Arrival arrival) {
        if (!(arrival.attachment instanceof Incoming message)) {
            return false;
        }
        message.arrival = null;
        arrival.attachment = null;
        if (!owner.hasEnded()) {
            unanswered.add(message);
            owner.markBacklogged();
        }
        return true;
    }

    /**
     * Reads a part of the oldest message that is still in the peer's memory; {@code ring} shows whether the peer has
     * released that.
     */
    int read(RingWriter ring) {
        Incoming message = reading.peek();
        PinnedProcess sender = process;
        if (message == null || sender == null) {
            return 0;
        }
        Operation receive = receive(message);
        long count;
        try {
            count = memory.read(
                    sender,
                    message.address + message.done,
                    receive.buffer(),
                    receive.offset() + message.done,
                    Math.min(message.wanted - message.done, READ_MAX));
        } catch (IllegalStateException closed) {
            owner.failMemoryClosed(closed);
            return 1;
        }
        if (ProcessRead.isForbidden(count)) {
            forbidReading();
        } else if (ProcessRead.isUnmapped(count) && !ring.hasReaderEnded()) {
            // Requested in parts, the sender checks its own memory and reports what happened to it.
            reading.remove();
            message.done = 0;
            unanswered.add(message);
        } else if (count <= 0 || ring.hasReaderEnded()) {
            // If the peer has released the memory meanwhile, the data is not what was sent.
            owner.failLost("its memory cannot be read any more: errno=" + Math.max(-count, 0));
        } else {
            message.done += count;
            if (message.done == message.wanted) {
                reading.remove();
                finish(message);
            }
        }
        return 1;
    }

    /** Has messages arrive in parts from now on, from their beginning. */
    void forbidReading() {
        forbidden = true;
        reading.forEach(refused -> refused.done = 0);
        unanswered.addAll(reading);
        reading.clear();
    }

    /** Reads messages from now on, if the peer's process is given. */
    void allowReading(@Nullable PinnedProcess peer) {
        process = peer;
        forbidden = false;
    }

    /** Takes a part of the oldest message that was requested in parts; false if it belongs to none. */
    boolean tryTakePart(RingReader ring) {
        Incoming message = coming.peek();
        long part = ring.length();
        if (message == null || part == 0 || part > message.wanted - message.done) {
            return false;
        }
        Operation receive = receive(message);
        ring.copy(receive.buffer(), receive.offset() + message.done, part);
        message.done += part;
        if (message.done == message.wanted) {
            coming.remove();
            long length = Objects.requireNonNull(message.arrival, "arrival").length();
            recycle(message);
            receive.complete(Status.OK, length);
        }
        return true;
    }

    private void recycle(Incoming message) {
        open--;
        message.arrival = null;
        spare.push(message);
    }

    /** Sends the answers that the peer waits for, as far as the ring has capacity. */
    int answer(RingWriter ring) {
        int count = 0;
        for (Incoming message = unanswered.peek(); message != null; message = unanswered.peek()) {
            boolean here = message.arrival == null;
            if (!ring.tryWrite(here ? Ring.TAKEN : Ring.WANTED, here ? 0 : message.wanted, message.number)) {
                return count;
            }
            unanswered.remove();
            if (here) {
                recycle(message);
            } else {
                coming.add(message);
            }
            count++;
        }
        return count;
    }

    /** Whether a message is being read, which needs no capacity of the ring. */
    boolean isReading() {
        return !reading.isEmpty();
    }

    /** Whether all answers were sent to the peer. */
    boolean isDrained() {
        return unanswered.isEmpty();
    }

    /** Whether there is nothing to do, neither now nor when the ring has capacity. */
    boolean isIdle() {
        return reading.isEmpty() && unanswered.isEmpty();
    }

    /** The endpoint has ended, and with it messages in progress. */
    void close() {
        cancel(reading);
        cancel(unanswered);
        cancel(coming);
    }

    private static void cancel(ArrayDeque<Incoming> messages) {
        for (Incoming message = messages.poll(); message != null; message = messages.poll()) {
            if (message.arrival != null) {
                receive(message).complete(Status.CANCELLED, 0);
            }
        }
    }
}
