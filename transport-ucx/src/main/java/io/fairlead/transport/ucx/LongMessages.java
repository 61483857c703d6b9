package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The long and the synchronous messages of an endpoint with a {@link LeavableLanes}. A record announces one, its payload is
 * a UCX message of its own, and the receiver's record ends it: only then does the sender know that the peer has it. Once
 * the endpoint has left UCX, the receiver asks for what it has not got, and the payload comes in records, from its
 * beginning.
 */
final class LongMessages implements UcxRequest.Owner {
    /** Payloads ahead of their announcements. Those of a conforming peer are few: the announcement is sent first. */
    private static final int EARLY_MAX = 4096;
    /** Bytes of payloads in records per turn. */
    private static final int TURN_MAX = 1 << 20;

    /** A message that is sent. */
    private static final class Outgoing {
        final long number;
        final Operation operation;
        /** The payload comes when the peer asks for it. */
        boolean asked;

        boolean inUcx;
        boolean done;
        boolean wanted;
        long given;

        Outgoing(long number, Operation operation) {
            this.number = number;
            this.operation = operation;
        }
    }

    /** A message that arrives. */
    static final class Incoming {
        private final LongMessages owner;
        final long number;
        final long length;
        /** UCX's handle of the payload; 0 if it is not here, or is being received. */
        long handle;

        @Nullable Operation receive;

        /** The payload comes when this side asks for it. */
        boolean asked;

        boolean inUcx;
        boolean dropped;
        boolean wanted;
        long taken;

        Incoming(LongMessages owner, long number, long length) {
            this.owner = owner;
            this.number = number;
            this.length = length;
        }

        /** A receive has matched it. */
        void begin(Operation matched) {
            owner.begin(this, matched);
        }

        /** Its endpoint has ended: keeps it, if it is here and short. */
        boolean tryKeep(Arrival arrival) {
            return owner.tryKeep(arrival, this);
        }

        /** No receive will match it. */
        void drop() {
            owner.drop(this);
        }
    }

    /** A payload without its announcement. */
    private record Early(long handle, long length) {}

    private final UcxEndpointState state;
    private final EndpointHost host;
    private final UcxRequests requests;
    private final UnmatchedMessages unmatched;
    private final KeptMessages kept;
    private final LeavableLanes lanes;
    private final BatchOutbox batches;

    private final Map<Long, Outgoing> outgoing = new HashMap<>();
    private long sent;
    private final ArrayDeque<Outgoing> wanted = new ArrayDeque<>();

    private final Map<Long, Incoming> incoming = new HashMap<>();
    private long announced;
    private final ArrayDeque<Incoming> unpaired = new ArrayDeque<>();
    private final ArrayDeque<Early> early = new ArrayDeque<>();

    LongMessages(UcxEndpointState state, WorkerParts worker, LeavableLanes lanes, BatchOutbox batches) {
        this.state = state;
        this.host = state.host();
        this.requests = worker.requests();
        this.unmatched = worker.unmatched();
        this.kept = worker.kept();
        this.lanes = lanes;
        this.batches = batches;
    }

    @Override
    public UcxEndpointState state() {
        return state;
    }

    /** Whether the peer has all messages. */
    boolean isEmpty() {
        return outgoing.isEmpty();
    }

    // Outgoing.

    void send(Operation operation) {
        boolean asked = lanes.hasLeft();
        batches.announce(operation, asked);
        Outgoing message = new Outgoing(sent++, operation);
        message.asked = asked;
        outgoing.put(message.number, message);
        if (asked) {
            return;
        }
        batches.flush();
        UcxRequest request = requests.take(UcxRequest.Kind.LONG_OUT, this, operation, operation.length());
        request.turn = message.number;
        message.inUcx = true;
        long answer;
        try {
            answer = Payload.send(state, requests, request, operation, state.laneTag(TransportMessage.LONG));
        } catch (IllegalStateException closed) {
            // The peer waits for the payload.
            message.inUcx = false;
            outgoing.remove(message.number);
            requests.dropUnposted(request);
            state.failMemoryClosed(closed);
            operation.complete(Status.CANCELLED, 0);
            return;
        }
        requests.posted(request, answer);
    }

    /** The peer has a message, or drops it. */
    boolean tryEnd(long number) {
        Outgoing message = outgoing.get(number);
        if (message == null || message.done) {
            state.failViolation("end of a long message that was not sent: number=" + number);
            return false;
        }
        message.done = true;
        wanted.remove(message);
        endIfDone(message);
        return true;
    }

    private void endIfDone(Outgoing message) {
        if (!message.inUcx && (message.done || state.hasEnded())) {
            outgoing.remove(message.number);
            Operation operation = message.operation;
            operation.complete(message.done ? Status.OK : Status.CANCELLED, message.done ? operation.length() : 0);
        }
    }

    /** The peer asks for a payload. */
    boolean tryWant(long number) {
        Outgoing message = outgoing.get(number);
        if (message == null || message.done || message.wanted || !message.asked) {
            state.failViolation("request for a long message that was not sent: number=" + number);
            return false;
        }
        message.wanted = true;
        wanted.add(message);
        lanes.list();
        return true;
    }

    /** Whether the peer asks for payloads. */
    boolean hasWanted() {
        return !wanted.isEmpty();
    }

    /** Puts bytes of the payloads that the peer asks for into batches; false if there are none. */
    boolean sendWanted() {
        int count = 0;
        for (Outgoing message = wanted.peek(); message != null && count < TURN_MAX; message = wanted.peek()) {
            long left = message.operation.length() - message.given;
            int part = (int) Math.min(left, batches.recordMax());
            try {
                batches.sendPart(Batch.LONG_PART, message.number, message.operation, message.given, part);
            } catch (IllegalStateException closed) {
                state.failMemoryClosed(closed);
                return false;
            }
            message.given += part;
            count += part;
            if (part == left) {
                wanted.remove();
            }
        }
        return count > 0;
    }

    // Incoming.

    /** A tagged message is announced, by its length. */
    boolean tryAnnounce(long tag, MemorySegment batch, long at, int size) {
        Incoming message = size == Long.BYTES ? announced(batch.get(JAVA_LONG_UNALIGNED, at)) : null;
        if (message == null) {
            state.failViolation("announcement of a long message makes no sense: length=" + size + " bytes");
            return false;
        }
        Arrival arrival = host.arrived(
                tag, message.length, message.length <= host.eagerMax() ? Arrival.Place.EAGER : Arrival.Place.SENDER);
        return tryBegin(message, arrival);
    }

    /** An active message is announced, by the length of its payload and its header. */
    boolean tryAnnounceActive(int target, MemorySegment batch, long at, int size) {
        int header = TransportMessage.headerLength(target);
        Incoming message = size == Long.BYTES + header ? announced(batch.get(JAVA_LONG_UNALIGNED, at)) : null;
        if (message == null) {
            state.failViolation("announcement of a long active message makes no sense: length=" + size + " bytes");
            return false;
        }
        Arrival arrival =
                host.activeAnnounced(TransportMessage.number(target), batch, at + Long.BYTES, header, message.length);
        return tryBegin(message, arrival);
    }

    private @Nullable Incoming announced(long word) {
        long length = word < 0 ? ~word : word;
        Incoming message = new Incoming(this, announced++, length);
        // Of a payload that UCX has brought meanwhile nothing was kept.
        message.asked = word < 0 || lanes.ignoresUcx();
        incoming.put(message.number, message);
        Early payload = message.asked ? null : early.poll();
        if (payload != null && payload.length != length) {
            unmatched.discard(payload.handle);
            return null;
        }
        if (payload != null) {
            message.handle = payload.handle;
        } else if (!message.asked) {
            unpaired.add(message);
        }
        return message;
    }

    private boolean tryBegin(Incoming message, @Nullable Arrival arrival) {
        if (arrival == null) {
            drop(message);
            return false;
        }
        arrival.attachment = message;
        Operation receive = arrival.operation();
        if (receive != null) {
            begin(message, receive);
        }
        return true;
    }

    /** A payload has begun to arrive, with UCX's handle. */
    void arrived(long handle, long length) {
        Incoming message = lanes.ignoresUcx() ? null : unpaired.poll();
        if (lanes.ignoresUcx()) {
            unmatched.discard(handle);
        } else if (message == null && early.size() < EARLY_MAX) {
            early.add(new Early(handle, length));
        } else if (message == null || message.length != length) {
            unmatched.discard(handle);
            state.failViolation("payload of a long message that was not announced: length=" + length + " bytes");
        } else {
            message.handle = handle;
            Operation receive = message.receive;
            if (message.dropped) {
                drop(message);
            } else if (receive != null) {
                receive(message, receive);
            }
        }
    }

    /** A receive has matched an announced message. */
    private void begin(Incoming message, Operation receive) {
        message.receive = receive;
        if (message.handle != 0) {
            receive(message, receive);
        } else if (message.asked && lanes.maySend()) {
            want(message);
        }
    }

    private void receive(Incoming message, Operation receive) {
        long handle = message.handle;
        message.handle = 0;
        long answer;
        try {
            answer = Ucp.receiveMessage(
                    requests.worker(),
                    receive.buffer(),
                    receive.offset(),
                    Math.min(receive.length(), message.length),
                    handle,
                    requests.message.of(requests.nextIndex()));
        } catch (IllegalStateException closed) {
            unmatched.discard(handle);
            message.receive = null;
            state.failMemoryClosed(closed);
            receive.complete(Status.CANCELLED, 0);
            return;
        }
        message.inUcx = true;
        UcxRequest request = requests.take(UcxRequest.Kind.LONG_IN, this, receive, message.length);
        request.turn = message.number;
        requests.posted(request, answer);
    }

    /** Keeps a short synchronous message of an endpoint that has ended. It acknowledges nothing. */
    private boolean tryKeep(Arrival arrival, Incoming message) {
        long handle = message.handle;
        if (handle == 0 || message.length > host.eagerMax()) {
            return false;
        }
        message.handle = 0;
        MemorySegment whole = unmatched.take(handle, message.length);
        if (whole == null) {
            return false;
        }
        kept.keep(arrival, whole, 0);
        return true;
    }

    /** No receive will match the message. */
    private void drop(Incoming message) {
        message.dropped = true;
        boolean over = message.handle != 0 || message.asked;
        free(message);
        if (over) {
            end(message);
        }
    }

    private void end(Incoming message) {
        if (incoming.remove(message.number) != null && !state.hasEnded()) {
            batches.sendOwn(Batch.LONG_DONE, message.number);
        }
    }

    private void want(Incoming message) {
        message.wanted = true;
        if (message.length == 0) {
            finish(message);
        } else {
            batches.sendOwn(Batch.LONG_WANTED, message.number);
        }
    }

    private void finish(Incoming message) {
        Operation receive = message.receive;
        message.receive = null;
        end(message);
        if (receive != null) {
            receive.complete(Status.OK, message.length);
        }
    }

    /** Takes bytes of a payload that was asked for. */
    boolean tryTakePart(long number, MemorySegment batch, long at, int size) {
        Incoming message = incoming.get(number);
        Operation receive = message == null || !message.wanted ? null : message.receive;
        if (message == null || receive == null || size > message.length - message.taken) {
            state.failViolation(
                    "part of a long message makes no sense: number=" + number + ", length=" + size + " bytes");
            return false;
        }
        long part = Math.min(size, receive.length() - message.taken);
        if (part > 0) {
            try {
                MemorySegment.copy(batch, at, receive.buffer(), receive.offset() + message.taken, part);
            } catch (IllegalStateException closed) {
                state.failMemoryClosed(closed);
                return false;
            }
        }
        message.taken += size;
        if (message.taken == message.length) {
            finish(message);
        }
        return true;
    }

    @Override
    public void ended(UcxRequest request) {
        if (request.kind == UcxRequest.Kind.LONG_OUT) {
            Outgoing message = outgoing.get(request.turn);
            if (message != null) {
                message.inUcx = false;
                endIfDone(message);
            }
            return;
        }
        Incoming message = incoming.get(request.turn);
        if (message == null) {
            request.operation().complete(Status.CANCELLED, 0);
            return;
        }
        message.inUcx = false;
        if (request.hasReceived()) {
            finish(message);
        } else if (state.hasEnded()) {
            cancel(message);
        }
        // Else it is asked for once both sides have left UCX.
    }

    // Leaving UCX.

    /** UCX brings nothing more that counts: payloads come when they are asked for. */
    void leave() {
        incoming.values().forEach(message -> {
            free(message);
            message.asked = true;
        });
        outgoing.values().forEach(message -> message.asked = true);
        early.forEach(payload -> unmatched.discard(payload.handle));
        early.clear();
        unpaired.clear();
    }

    private void free(Incoming message) {
        if (message.handle != 0) {
            unmatched.discard(message.handle);
            message.handle = 0;
        }
    }

    /** Both sides have left UCX, which has no request of this endpoint any more. */
    void goOn() {
        for (Incoming message : incoming.values().toArray(new Incoming[0])) {
            if (message.dropped) {
                end(message);
            } else if (message.receive != null && !message.wanted) {
                want(message);
            }
        }
    }

    /** The endpoint has ended. */
    void cancel() {
        for (Outgoing message : outgoing.values().toArray(new Outgoing[0])) {
            endIfDone(message);
        }
        wanted.clear();
        for (Incoming message : incoming.values().toArray(new Incoming[0])) {
            if (!message.inUcx) {
                cancel(message);
            }
        }
        early.forEach(payload -> unmatched.discard(payload.handle));
        early.clear();
        unpaired.clear();
    }

    private static void cancel(Incoming message) {
        Operation receive = message.receive;
        message.receive = null;
        if (receive != null) {
            receive.complete(Status.CANCELLED, 0);
        }
    }
}
