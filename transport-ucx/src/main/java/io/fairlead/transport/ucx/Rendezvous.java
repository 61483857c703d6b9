package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The long and the synchronous messages of an endpoint whose peer shares memory with this process. The sender announces them in its ring and
 * leaves their payload where it is. Once a receive has matched, the receiver reads the payload out of the sender's process, with one
 * copy and one system call, and says so. Where the kernel does not allow that, or a message is gathered from several buffers, the sender
 * writes the payload into its ring in parts.
 *
 * <p>Why not UCX: its messages within a host go into one queue of the receiving worker's. A process that is killed while it writes there
 * leaves a gap that UCX waits on for ever, and no peer of that worker is heard any more.
 */
final class Rendezvous {
    /** Bytes that a turn reads for an endpoint, so that a huge message does not keep the worker from the others. */
    private static final long READ_MAX = 1 << 20;

    /** A message on its way out, from its announcement to its end. */
    private static final class Outgoing {
        final int number;

        @Nullable Operation operation;
        /** Bytes that the peer wants to have in parts; 0 while it does not. */
        long wanted;

        long written;

        Outgoing(int number) {
            this.number = number;
        }
    }

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

    private final Rings rings;
    private final UcxEndpoint endpoint;
    private final EndpointHost host;
    private final @Nullable ProcessRead memory;

    /** By their numbers, which are used again. */
    private final List<Outgoing> all = new ArrayList<>();

    private final ArrayDeque<Outgoing> unused = new ArrayDeque<>();
    /** Those that go out in parts, in the order in which the peer asked for them. */
    private final ArrayDeque<Outgoing> leaving = new ArrayDeque<>();

    /** Those that this side reads; the ones that are to be answered; and the ones that come in parts, in the order of the answers. */
    private final ArrayDeque<Incoming> reading = new ArrayDeque<>();

    private final ArrayDeque<Incoming> unanswered = new ArrayDeque<>();
    private final ArrayDeque<Incoming> coming = new ArrayDeque<>();
    private final ArrayDeque<Incoming> spare = new ArrayDeque<>();
    /** The kernel has refused to read the peer. */
    private boolean forbidden;

    Rendezvous(Rings rings, UcxEndpoint endpoint, EndpointHost host, @Nullable ProcessRead memory) {
        this.rings = rings;
        this.endpoint = endpoint;
        this.host = host;
        this.memory = memory;
    }

    // Out.

    /** Announces a message; false if there is no room now. */
    boolean announces(RingWriter ring, Operation operation) {
        if (!ring.claim(Ring.ANNOUNCEMENT_PAYLOAD)) {
            return false;
        }
        Outgoing message = takeOutgoing();
        message.operation = operation;
        ring.number(0, message.number);
        ring.number(
                Long.BYTES,
                operation.buffers() == null && operation.length() > 0
                        ? operation.buffer().address() + operation.offset()
                        : 0);
        ring.publish(Ring.ANNOUNCEMENT, operation.length(), operation.tag(), Ring.ANNOUNCEMENT_PAYLOAD);
        return true;
    }

    private Outgoing takeOutgoing() {
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
        unused.push(message);
        operation.complete(status, status == Status.OK ? operation.length() : 0);
    }

    /** Whether no message waits for the peer. */
    boolean drained() {
        return unused.size() == all.size() && unanswered.isEmpty();
    }

    /** The message of a number, if the peer may say something about it. */
    private @Nullable Outgoing waiting(long number) {
        Outgoing message = number >= 0 && number < all.size() ? all.get((int) number) : null;
        return message == null || message.operation == null || message.wanted > 0 ? null : message;
    }

    /**
     * The peer has what it wants of a message.
     *
     * @return false if it was told of none of that number
     */
    boolean taken(long number) {
        Outgoing message = waiting(number);
        if (message == null) {
            return false;
        }
        end(message, Status.OK);
        return true;
    }

    /**
     * The peer wants the first bytes of a message in parts.
     *
     * @return false if it was told of none of that number, or of none as long
     */
    boolean wanted(long number, long bytes) {
        Outgoing message = waiting(number);
        if (message == null
                || bytes <= 0
                || bytes
                        > Objects.requireNonNull(message.operation, "operation").length()) {
            return false;
        }
        message.wanted = bytes;
        leaving.add(message);
        rings.waiting();
        return true;
    }

    /** Writes as much of what the peer has asked for as there is room for. */
    int writeParts(RingWriter ring) {
        int count = 0;
        for (Outgoing message = leaving.peek(); message != null; message = leaving.peek()) {
            Operation operation = Objects.requireNonNull(message.operation, "operation");
            while (message.written < message.wanted) {
                int part = (int) Math.min(message.wanted - message.written, Ring.PAYLOAD_MAX);
                if (!ring.claim(part)) {
                    return count;
                }
                try {
                    Rings.put(ring, operation, message.written, part);
                } catch (IllegalStateException closed) {
                    endpoint.memoryClosed(closed);
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

    // In.

    /** The peer has announced a message; false if it may not. */
    boolean announced(RingReader ring) {
        long length = ring.length();
        Arrival arrival = host.arrived(ring.tag(), length, UcxWorker.place(host, length));
        if (arrival == null) {
            return false;
        }
        Incoming message = spare.isEmpty() ? new Incoming() : spare.pop();
        message.arrival = arrival;
        message.number = ring.number(0);
        message.address = ring.number(Long.BYTES);
        arrival.attachment = message;
        if (arrival.operation() != null) {
            begin(message, arrival);
        }
        return true;
    }

    /** A receive has matched an announced message; false if it is not one of these. */
    boolean delivers(Arrival arrival) {
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
            received(message);
        } else if (rings.peerProcess() != null && message.address != 0 && !forbidden) {
            reading.add(message);
        } else {
            unanswered.add(message);
        }
        rings.waiting();
    }

    private static Operation receive(Incoming message) {
        return Objects.requireNonNull(
                Objects.requireNonNull(message.arrival, "arrival").operation(), "operation");
    }

    /** All that a receive has room for is here. */
    private void received(Incoming message) {
        long length = Objects.requireNonNull(message.arrival, "arrival").length();
        Operation receive = receive(message);
        message.arrival = null;
        receive.complete(Status.OK, length);
        unanswered.add(message);
    }

    /** Nobody wants an announced message any more; false if it is not one of these. */
    boolean discards(Arrival arrival) {
        if (!(arrival.attachment instanceof Incoming message)) {
            return false;
        }
        message.arrival = null;
        arrival.attachment = null;
        if (!endpoint.ended()) {
            unanswered.add(message);
            rings.waiting();
        }
        return true;
    }

    /** Reads some of the oldest message that is still in the peer's memory. */
    int read() {
        Incoming message = reading.peek();
        PeerProcess process = rings.peerProcess();
        if (message == null || memory == null || process == null) {
            return 0;
        }
        Operation receive = receive(message);
        long count;
        try {
            count = memory.read(
                    process,
                    message.address + message.done,
                    receive.buffer(),
                    receive.offset() + message.done,
                    Math.min(message.wanted - message.done, READ_MAX));
        } catch (IllegalStateException closed) {
            endpoint.memoryClosed(closed);
            return 1;
        }
        if (ProcessRead.forbidden(count)) {
            forbidden = true;
            reading.forEach(refused -> refused.done = 0);
            unanswered.addAll(reading);
            reading.clear();
        } else if (count <= 0 || rings.peerEnded()) {
            // What was read is not what was sent if the peer has given the memory back meanwhile.
            endpoint.lost("its memory cannot be read any more: errno=" + Math.max(-count, 0));
        } else {
            message.done += count;
            if (message.done == message.wanted) {
                reading.remove();
                received(message);
            }
        }
        return 1;
    }

    /** Takes a part of the oldest message that was asked for; false if it belongs to none. */
    boolean takesPart(RingReader ring) {
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
        message.arrival = null;
        spare.push(message);
    }

    /** Tells the peer what it is waiting for, as far as there is room. */
    int answer(RingWriter ring) {
        int count = 0;
        for (Incoming message = unanswered.peek(); message != null; message = unanswered.peek()) {
            boolean here = message.arrival == null;
            if (!ring.write(here ? Ring.TAKEN : Ring.WANTED, here ? 0 : message.wanted, message.number)) {
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

    /** Whether nothing is left that this side could do now or once there is room. */
    boolean idle() {
        return reading.isEmpty() && unanswered.isEmpty() && leaving.isEmpty();
    }

    /** The endpoint has ended, and with it what is on its way. */
    void close() {
        leaving.clear();
        for (Outgoing message : all) {
            if (message.operation != null) {
                end(message, Status.CANCELLED);
            }
        }
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
