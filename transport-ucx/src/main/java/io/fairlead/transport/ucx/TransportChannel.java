package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The messages between this transport and the peer's about one endpoint, in order both ways. */
final class TransportChannel implements UcxRequest.Owner {
    /** Who hears of them. */
    interface Receiver {
        /** A message of the peer's is here. It is given back when this returns; what this throws fails the endpoint. */
        void receive(TransportMessage message);

        /** An answer has left, or never will. */
        void answerLeft();
    }

    private final UcxEndpointState state;
    private final UcxRequests requests;
    private final UnmatchedMessages unmatched;
    private final MessagePool pool;
    /** Messages that may be on their way in at a time. Those of a peer that keeps the rules arrive in one piece. */
    private final int incomingMax;

    private final Receiver receiver;
    /** Messages of the peer's transport, in the order of their arrival. */
    private final ArrayDeque<TransportMessage> incoming = new ArrayDeque<>();

    TransportChannel(
            UcxEndpointState state,
            UcxRequests requests,
            UnmatchedMessages unmatched,
            MessagePool pool,
            int incomingMax,
            Receiver receiver) {
        this.state = state;
        this.requests = requests;
        this.unmatched = unmatched;
        this.pool = pool;
        this.incomingMax = incomingMax;
        this.receiver = receiver;
    }

    @Override
    public UcxEndpointState state() {
        return state;
    }

    // Out.

    /** A message to be filled and then sent or given back. */
    TransportMessage take() {
        return pool.take();
    }

    /** A message that will not be sent. */
    void giveBack(TransportMessage message) {
        pool.giveBack(message);
    }

    void send(TransportMessage message, int kind) {
        send(message, kind, null);
    }

    /** Sends the signal of a put, which ends when that has left. */
    void sendSignal(Operation put) {
        TransportMessage message = take();
        message.signal(put.operand());
        send(message, TransportMessage.SIGNAL, put);
    }

    private void send(TransportMessage message, int kind, @Nullable Operation put) {
        state.markDirty();
        message.kind = kind;
        UcxRequest request = requests.take(UcxRequest.Kind.MESSAGE_OUT, this, put, message.length);
        request.message = message;
        requests.posted(
                request,
                Ucp.tagSend(
                        state.handle(),
                        message.memory,
                        0,
                        message.length,
                        TransportMessage.tag(kind, state.host().sourceId()),
                        requests.plain.of(request.index)));
    }

    /** Sends the first message of all, which the peer's UCX has to answer, so that it knows this endpoint then. */
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

    // In.

    /** A message of the peer's transport has begun to arrive, by UCX's handle of it. */
    void arrived(long handle, int kind, long length) {
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
                    giveBack(message);
                } else {
                    receive();
                }
            }
            case MESSAGE_OUT -> {
                boolean isAnswer = message.kind == TransportMessage.SERVED && message.answer;
                giveBack(message);
                Operation put = request.operation;
                if (put != null) {
                    put.complete(request.hasSucceeded() ? Status.OK : Status.CANCELLED, put.length());
                }
                if (isAnswer) {
                    receiver.answerLeft();
                }
            }
            default -> giveBack(message);
        }
    }

    /** Deals with the messages that are here, in order. */
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
