package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The application's messages of one endpoint. A UCX tag is the receiver's 16-bit endpoint number above the
 * application's 48 bits. Short messages travel in {@linkplain BatchOutbox batches}; the others are claimed from UCX and
 * reported to the core, which matches them.
 */
final class TagChannel implements UcxRequest.Owner {
    static final int SOURCE_SHIFT = 48;
    static final long TAG_MASK = (1L << SOURCE_SHIFT) - 1;
    static final long SOURCE_MASK = 0xFFFFL << SOURCE_SHIFT;

    private final UcxEndpointState state;
    private final EndpointHost host;
    private final UcxRequests requests;
    private final UnmatchedMessages unmatched;
    private final KeptMessages kept;
    private final BatchOutbox batches;
    private final long outgoing;
    /** UCX's answer to a send that has begun and not ended inside its call; else 0. Its operation follows. */
    private long begun;

    TagChannel(
            UcxEndpointState state,
            UcxRequests requests,
            UnmatchedMessages unmatched,
            KeptMessages kept,
            BatchOutbox batches) {
        this.state = state;
        this.host = state.host();
        this.requests = requests;
        this.unmatched = unmatched;
        this.kept = kept;
        this.batches = batches;
        this.outgoing = (long) host.sourceId() << SOURCE_SHIFT;
    }

    @Override
    public UcxEndpointState state() {
        return state;
    }

    /**
     * Sends a message that ends inside UCX's call, or is copied. If it does not, {@link #send(Operation)} with the same
     * message must follow, before any other call of UCX.
     */
    boolean trySend(MemorySegment buffer, long offset, long length, long tag) {
        if (batches.takes(length)) {
            batches.send(buffer, offset, (int) length, tag);
            return true;
        }
        if (state.lanes() != null) {
            return false;
        }
        batches.flush();
        state.markDirty();
        begun = Ucp.tagSend(
                state.handle(), buffer, offset, length, outgoing | tag, requests.plain.of(requests.nextIndex()));
        state.countTaggedSent();
        return begun == 0;
    }

    void send(Operation operation) {
        LeavableLanes lanes = state.lanes();
        if (lanes != null) {
            send(operation, lanes);
            return;
        }
        long answer = begun;
        if (answer == 0 && !operation.isSynchronous() && fits(operation)) {
            batches.send(operation);
            operation.complete(Status.OK, operation.length());
        } else if (answer == 0) {
            batches.flush();
            send(operation, outgoing | operation.tag());
            state.countTaggedSent();
        } else {
            begun = 0;
            requests.posted(requests.take(UcxRequest.Kind.PLAIN, this, operation, operation.length()), answer);
        }
    }

    /** Sends a message, tagged or active, that is sent again if its lane fails. */
    void send(Operation operation, LeavableLanes lanes) {
        long length = operation.length();
        long whole = length + (operation.isActive() ? operation.header().byteSize() : 0);
        if (operation.isSynchronous() || length > host.eagerMax()) {
            lanes.sendLong(operation);
            return;
        }
        boolean sent = true;
        if (whole <= batches.recordMax()) {
            batches.send(operation);
        } else {
            sent = batches.trySendInParts(operation);
        }
        operation.complete(sent ? Status.OK : Status.CANCELLED, sent ? length : 0);
    }

    private boolean fits(Operation operation) {
        return operation.buffers() == null
                ? batches.takes(operation.length())
                : batches.takesGathered(operation.length());
    }

    /** Sends the payload of an operation with a UCX tag, outside of a batch. */
    void send(Operation operation, long tag) {
        state.markDirty();
        MemorySegment[] buffers = operation.buffers();
        if (buffers != null) {
            UcxRequest request = requests.take(UcxRequest.Kind.PLAIN, this, operation, operation.length());
            requests.posted(request, Payload.send(state, requests, request, buffers, tag));
            return;
        }
        MemorySegment buffer = operation.buffer();
        long offset = operation.offset();
        long length = operation.length();
        // Most sends end inside their call, and need no request.
        long params = requests.plain.of(requests.nextIndex());
        long answer = operation.isSynchronous()
                ? Ucp.tagSendSynchronous(state.handle(), buffer, offset, length, tag, params)
                : Ucp.tagSend(state.handle(), buffer, offset, length, tag, params);
        if (answer == 0) {
            operation.complete(Status.OK, length);
        } else {
            requests.posted(requests.take(UcxRequest.Kind.PLAIN, this, operation, length), answer);
        }
    }

    /** Sends the header and the payload of an active message. */
    void sendGather(Operation operation, long tag) {
        state.markDirty();
        MemorySegment[] payload = operation.buffers();
        if (payload == null) {
            payload = new MemorySegment[] {operation.buffer().asSlice(operation.offset(), operation.length())};
        }
        MemorySegment[] all = new MemorySegment[payload.length + 1];
        all[0] = operation.header();
        System.arraycopy(payload, 0, all, 1, payload.length);
        UcxRequest request = requests.take(UcxRequest.Kind.PLAIN, this, operation, operation.length());
        requests.posted(request, Payload.send(state, requests, request, all, tag));
    }

    /** A message has begun to arrive without a matching receive in UCX. */
    void arrived(long message, long tag, long length) {
        state.countTaggedTaken();
        Arrival arrival;
        try {
            arrival = host.arrived(tag, length, length <= host.eagerMax() ? Arrival.Place.EAGER : Arrival.Place.SENDER);
        } catch (RuntimeException | Error thrown) {
            unmatched.discard(message);
            state.failThrown(thrown);
            return;
        }
        if (arrival == null) {
            unmatched.discard(message);
            return;
        }
        // UCX does not report how much of it has arrived.
        arrival.word = message;
        Operation receive = arrival.operation();
        if (receive != null) {
            try {
                receiveMessage(arrival);
            } catch (IllegalStateException closed) {
                // It is out of matching, so it would never end.
                unmatched.discard(arrival.word);
                state.failMemoryClosed(closed);
                receive.complete(Status.CANCELLED, 0);
            }
        }
    }

    void deliver(Arrival arrival) {
        if (arrival.attachment instanceof LongMessages.Incoming message) {
            message.begin(Objects.requireNonNull(arrival.operation(), "operation"));
            return;
        }
        if (arrival.attachment instanceof EagerParts.Unfinished message) {
            message.await();
            return;
        }
        if (!kept.tryDeliver(arrival) && arrival.word != 0) {
            receiveMessage(arrival);
        }
    }

    /** Receives a message into its receive's buffer. */
    void receiveMessage(Arrival arrival) {
        Operation receive = Objects.requireNonNull(arrival.operation(), "operation");
        long answer = Ucp.receiveMessage(
                requests.worker(),
                receive.buffer(),
                receive.offset(),
                Math.min(receive.length(), arrival.length()),
                arrival.word,
                requests.message.of(requests.nextIndex()));
        requests.posted(requests.take(UcxRequest.Kind.RECEIVE, this, receive, arrival.length()), answer);
    }

    /** A closed endpoint acknowledges nothing to a synchronous sender. */
    boolean keep(Arrival arrival) {
        if (arrival.attachment instanceof LongMessages.Incoming message) {
            return message.tryKeep(arrival);
        }
        long message = arrival.word;
        long length = arrival.length();
        if (arrival.attachment != null || message == 0 || length > host.eagerMax()) {
            return false;
        }
        arrival.word = 0;
        MemorySegment whole = unmatched.take(message, length);
        if (whole == null) {
            return false;
        }
        kept.keep(arrival, whole, 0);
        return true;
    }

    void discard(Arrival arrival) {
        if (arrival.attachment instanceof LongMessages.Incoming message) {
            message.drop();
        } else if (arrival.attachment instanceof EagerParts.Unfinished message) {
            message.free(arrival);
        } else if (!kept.tryDiscard(arrival) && arrival.word != 0) {
            unmatched.discard(arrival.word);
            arrival.word = 0;
        }
    }

    @Override
    public void ended(UcxRequest request) {
        switch (request.kind) {
            case RECEIVE ->
                request.operation().complete(request.hasReceived() ? Status.OK : Status.CANCELLED, request.length);
            case PLAIN ->
                request.operation().complete(request.hasSucceeded() ? Status.OK : Status.CANCELLED, request.length);
            default -> throw new IllegalStateException("a request of another owner: kind=" + request.kind);
        }
    }
}
