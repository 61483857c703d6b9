package io.fairlead.transport.shm;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The long and the synchronous messages that an endpoint receives. Once a receive has matched one, its payload is read out of the sender's process,
 * with one copy and one system call; where the kernel does not allow that, or it was gathered from several buffers, it comes in parts.
 */
final class RendezvousIn {
    /** Bytes that a turn reads for an endpoint, so that a huge message does not keep the worker from the others. */
    private static final long READ_MAX = 1 << 20;

    /** Announced and lent messages of a peer that may be without an answer at a time, so that this side can bound what it keeps of them. */
    static final int OPEN_MAX = 16_384;

    /** A message on its way in, from its announcement to the answer. */
    private static final class Incoming {
        /** The sender's number for it. */
        long number;
        /** Where it is in the sender's process; 0 if it has to come in parts. */
        long address;

        @Nullable Arrival arrival;
        /** Bytes that there is room for, and how many of them are here. */
        long wanted;

        long done;
    }

    private final EndpointOwner owner;
    private final ProcessRead memory;
    /** The sender's process; null if it may not be read. */
    private final @Nullable PinnedProcess process;

    /** Those that this side reads; the ones that are to be answered; and the ones that come in parts, in the order of the answers. */
    private final ArrayDeque<Incoming> reading = new ArrayDeque<>();

    private final ArrayDeque<Incoming> unanswered = new ArrayDeque<>();
    private final ArrayDeque<Incoming> coming = new ArrayDeque<>();
    private final ArrayDeque<Incoming> spare = new ArrayDeque<>();
    /** Messages without an answer. */
    private int open;
    /** The kernel has refused to read the peer. */
    private boolean forbidden;

    RendezvousIn(EndpointOwner owner, ProcessRead memory, @Nullable PinnedProcess process) {
        this.owner = owner;
        this.memory = memory;
        this.process = process;
    }

    /** The peer has announced a message; false if it may not. */
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

    /** Takes a message that the core knows of already as one that stays with its sender until a receive has matched it. */
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

    /** The payload of a message is here; its sender is to be told. */
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

    /** All that a receive has room for is here. */
    private void finish(Incoming message) {
        long length = Objects.requireNonNull(message.arrival, "arrival").length();
        Operation receive = receive(message);
        message.arrival = null;
        receive.complete(Status.OK, length);
        unanswered.add(message);
    }

    /** Nobody wants an announced message any more; false if it is not one of these. */
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

    /** Reads some of the oldest message that is still in the peer's memory; {@code ring} tells whether the peer has given that back. */
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
            forbidden = true;
            reading.forEach(refused -> refused.done = 0);
            unanswered.addAll(reading);
            reading.clear();
        } else if (ProcessRead.isUnmapped(count) && !ring.hasReaderEnded()) {
            // The sender can tell what has become of the memory: it looks when it is asked for the message in parts.
            reading.remove();
            message.done = 0;
            unanswered.add(message);
        } else if (count <= 0 || ring.hasReaderEnded()) {
            // What was read is not what was sent if the peer has given the memory back meanwhile.
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

    /** Takes a part of the oldest message that was asked for; false if it belongs to none. */
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

    /** Tells the peer what it is waiting for, as far as there is room. */
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

    /** Whether a message is being read that needs no room. */
    boolean isReading() {
        return !reading.isEmpty();
    }

    /** Whether the peer has been told all that it waits for. */
    boolean isDrained() {
        return unanswered.isEmpty();
    }

    /** Whether nothing is left that this side could do now or once there is room. */
    boolean isIdle() {
        return reading.isEmpty() && unanswered.isEmpty();
    }

    /** The endpoint has ended, and with it what is on its way. */
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
