package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The transport's own messages of one endpoint, in order in both directions. */
final class TransportChannel implements UcxRequest.Owner {
    /** Receives the messages. */
    interface Receiver {
        /** A message of the peer has arrived. It is recycled when this returns; an exception fails the endpoint. */
        void receive(TransportMessage message);

        /** An answer was sent, or never will be. */
        void answerLeft();
    }

    private final UcxEndpointState state;
    private final UcxRequests requests;
    private final UnmatchedMessages unmatched;
    private final MessagePool pool;
    private final BatchOutbox batches;
    /** Maximum number of incoming messages in progress. A conforming peer's messages arrive in one piece. */
    private final int incomingMax;

    private final Receiver receiver;
    /** Messages of the peer's transport, in order of arrival. */
    private final ArrayDeque<TransportMessage> incoming = new ArrayDeque<>();

    TransportChannel(
            UcxEndpointState state,
            UcxRequests requests,
            UnmatchedMessages unmatched,
            MessagePool pool,
            BatchOutbox batches,
            int incomingMax,
            Receiver receiver) {
        this.state = state;
        this.requests = requests;
        this.unmatched = unmatched;
        this.pool = pool;
        this.batches = batches;
        this.incomingMax = incomingMax;
        this.receiver = receiver;
    }

    @Override
    public UcxEndpointState state() {
        return state;
    }

    // Outgoing.

    /** A message to be filled and then sent or recycled. */
    TransportMessage take() {
        return pool.take();
    }

    /** Recycles a message that will not be sent. */
    void giveBack(TransportMessage message) {
        pool.giveBack(message);
    }

    void send(TransportMessage message, int kind) {
        send(message, kind, null);
    }

    /** Sends the signal of a put, which ends when that is sent. */
    void sendSignal(Operation put) {
        TransportMessage message = take();
        message.signal(put.operand());
        send(message, TransportMessage.SIGNAL, put);
    }

    /** Sends the header of an active message whose payload follows. */
    void sendActiveHeader(Operation operation) {
        TransportMessage message = pool.take((int) operation.header().byteSize());
        try {
            message.header(operation);
        } catch (RuntimeException | Error closed) {
            giveBack(message);
            throw closed;
        }
        int kind = TransportMessage.ACTIVE_HEADER;
        send(
                message,
                kind,
                TransportMessage.activeTag(kind, operation, state.host().sourceId()),
                null);
    }

    private void send(TransportMessage message, int kind, @Nullable Operation operation) {
        send(message, kind, TransportMessage.tag(kind, state.host().sourceId()), operation);
    }

    private void send(TransportMessage message, int kind, long tag, @Nullable Operation operation) {
        if (state.lanes() != null && !TransportMessage.isWireUp(kind)) {
            sendInBatch(message, kind, operation);
            return;
        }
        batches.flush();
        state.markDirty();
        message.kind = kind;
        if (!TransportMessage.isWireUp(kind)) {
            state.countOtherSent();
        }
        UcxRequest request = requests.take(UcxRequest.Kind.MESSAGE_OUT, this, operation, message.length);
        request.message = message;
        requests.posted(
                request,
                Ucp.tagSend(state.handle(), message.address, message.length, tag, requests.plain.of(request.index)));
    }

    private void sendInBatch(TransportMessage message, int kind, @Nullable Operation operation) {
        boolean isAnswer = kind == TransportMessage.SERVED && message.answer;
        batches.sendOwn(kind == TransportMessage.SIGNAL ? Batch.SIGNAL : Batch.SERVED, message);
        giveBack(message);
        if (operation != null) {
            operation.complete(Status.OK, operation.length());
        }
        if (isAnswer) {
            receiver.answerLeft();
        }
    }

    /** Whether the peer reads too little to be answered; {@link Receiver#answerLeft} follows. */
    boolean isFull() {
        LeavableLanes lanes = state.lanes();
        return lanes != null && lanes.isFull();
    }

    /** Sends the first message, which the peer's UCX must answer, so that it knows this endpoint then. */
    void sendWireUpRequest(TransportMessage message) {
        message.kind = TransportMessage.WIRE_UP_REQUEST;
        UcxRequest request = requests.take(UcxRequest.Kind.WIRE_UP, this, null, message.length);
        request.message = message;
        requests.posted(
                request,
                Ucp.tagSendSynchronous(
                        state.handle(),
                        message.memory,
                        0,
                        message.length,
                        TransportMessage.tag(
                                TransportMessage.WIRE_UP_REQUEST, state.host().sourceId()),
                        requests.plain.of(request.index)));
    }

    // Incoming.

    /** A message of the peer's transport has begun to arrive, with UCX's handle. */
    void arrived(long handle, int kind, long length) {
        if (!TransportMessage.isWireUp(kind)) {
            state.countOtherTaken();
        }
        if (length > TransportMessage.CAPACITY) {
            unmatched.discard(handle);
            if (TransportMessage.isWireUp(kind)) {
                state.noteDropped(kind, length);
            } else if (state.isMade()) {
                state.failViolation("message of the peer's UCX transport is too long: length=" + length + ", allowed "
                        + TransportMessage.CAPACITY + " bytes");
            }
            return;
        }
        TransportMessage message = take();
        message.kind = kind;
        message.length = (int) length;
        message.here = false;
        incoming.add(message);
        if (incoming.size() > incomingMax) {
            state.failViolation("too many messages of the peer's UCX transport have begun to arrive: count="
                    + incoming.size() + ", allowed " + incomingMax);
        }
        UcxRequest request = requests.take(UcxRequest.Kind.MESSAGE_IN, this, null, length);
        request.message = message;
        requests.posted(
                request,
                Ucp.receiveMessage(
                        requests.worker(), message.memory, 0, length, handle, requests.message.of(request.index)));
    }

    @Override
    public void ended(UcxRequest request) {
        TransportMessage message = request.message();
        switch (request.kind) {
            case MESSAGE_IN -> {
                message.here = true;
                if (state.hasEnded() || !request.hasSucceeded()) {
                    // Otherwise the close of an endpoint that has failed would give it back again.
                    incoming.remove(message);
                    giveBack(message);
                } else {
                    receive();
                }
            }
            case MESSAGE_OUT -> {
                boolean isAnswer = message.kind == TransportMessage.SERVED && message.answer;
                giveBack(message);
                Operation operation = request.operation;
                if (operation != null) {
                    operation.complete(request.hasSucceeded() ? Status.OK : Status.CANCELLED, operation.length());
                }
                if (isAnswer) {
                    receiver.answerLeft();
                }
            }
            default -> giveBack(message);
        }
    }

    /** Handles the complete messages, in order. */
    private void receive() {
        for (TransportMessage message = incoming.peek();
                message != null && message.here && !state.hasEnded();
                message = incoming.peek()) {
            incoming.remove();
            try {
                receiver.receive(message);
            } finally {
                giveBack(message);
            }
        }
    }

    /** The endpoint has ended. A message is free now, or once UCX has ended its request. */
    void close() {
        for (TransportMessage message : incoming) {
            if (message.here) {
                giveBack(message);
            }
        }
        incoming.clear();
    }
}
