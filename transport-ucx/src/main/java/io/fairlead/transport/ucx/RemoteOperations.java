package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.served.RemoteRequester;
import io.fairlead.spi.served.RemoteResponder;
import io.fairlead.spi.served.ServedChannel;
import io.fairlead.spi.served.ServedLimits;
import io.fairlead.spi.served.ServedMemory;
import io.fairlead.spi.served.ServedMessage;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint's operations on its peer's memory, and the peer's on this side's: by the network card if there is one
 * between the two, else by messages that the owner serves.
 */
final class RemoteOperations implements ServedChannel, RdmaOperations.Others {
    /** Maximum number of unanswered requests. The peer stores requests that it has not processed. */
    static final int WINDOW = 64;

    /** With this, a flush after a put needs no message of its own, and the limit in flight also holds for puts. */
    private static final int PUTS_PER_ANSWER = 1;

    private static final ServedLimits LIMITS = new ServedLimits(
            TransportMessage.DATA_MAX, TransportMessage.DATA_MAX, TransportMessage.DATA_MAX, WINDOW, PUTS_PER_ANSWER);

    private final UcxEndpointState state;
    private final TransportChannel channel;
    private final RemoteRequester requester;
    private final RemoteResponder responder;
    /** Null if no network card reaches the peer's memory, or UCX might not use it. */
    private final @Nullable RdmaOperations rdma;

    private final ServedMessage incoming = new ServedMessage();
    /** The number of unsent answers, each of which uses memory. */
    private int unsent;
    /** A message is being sent, and may complete inside the call. */
    private boolean sending;

    RemoteOperations(UcxEndpointState state, UcxRequests requests, TransportChannel channel, boolean byRdma) {
        this.state = state;
        this.channel = channel;
        this.requester = new RemoteRequester(state.host(), this, LIMITS);
        this.responder = new RemoteResponder(state.host(), this, LIMITS);
        this.rdma = byRdma ? new RdmaOperations(state, requests, channel, this) : null;
    }

    /** Unpacks a region. The peer serves it if no network card reaches it, or it is gone. */
    RemoteMemory unpack(byte[] key, RegionProof region) {
        RegionKey card = RegionKey.decode(key);
        if (card == null) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY, "UCX part of a remote key is malformed: length=" + key.length + " bytes");
        }
        if (rdma == null || card.packed().length == 0) {
            return new ServedMemory(region);
        }
        long handle = Ucp.unpackKey(state.handle(), card.packed());
        return Ucp.isError(handle) ? new ServedMemory(region) : new RdmaMemory(handle, card.address(), region);
    }

    void put(Operation operation) {
        RdmaOperations card = rdma;
        if (card != null && operation.remote() instanceof RdmaMemory memory && card.mayTouch(requester.isIdle())) {
            card.put(operation, memory);
        } else {
            requester.put(operation);
        }
    }

    void get(Operation operation) {
        RdmaOperations card = rdma;
        if (card != null && operation.remote() instanceof RdmaMemory memory && card.mayTouch(requester.isIdle())) {
            card.get(operation, memory);
        } else {
            requester.get(operation);
        }
    }

    void atomic(Operation operation) {
        requester.atomic(operation);
    }

    /** A flush completes on the network card first, and then after the requests to the peer. */
    void flush(Operation operation) {
        if (rdma == null || !rdma.tryFlush(operation)) {
            requester.flush(operation);
        }
    }

    void fence() {
        requester.fence();
        if (rdma != null) {
            rdma.fence();
        }
    }

    /** Whether a graceful close would lose nothing. */
    boolean isDrained() {
        return requester.isIdle() && (rdma == null || rdma.isDrained());
    }

    /** The endpoint has ended. */
    void cancel() {
        requester.cancel();
        if (rdma != null) {
            rdma.cancel();
        }
    }

    @Override
    public void resume() {
        requester.resume();
    }

    @Override
    public void askFlush(Operation operation) {
        requester.flush(operation);
    }

    // The messages.

    /** A message of emulated remote memory access has arrived. */
    void receive(TransportMessage message) {
        int data = incoming.readWhole(message.memory, 0, message.length, TransportMessage.DATA_MAX);
        if (incoming.isAnswer()) {
            requester.answered(incoming, message.memory, data);
        } else {
            responder.request(incoming, message.memory, data);
        }
    }

    /** An answer was sent, or never will be. */
    void answerLeft() {
        unsent--;
        if (!sending && responder.isWaiting() && !state.hasEnded()) {
            responder.resume();
        }
    }

    @Override
    public Outcome send(ServedMessage message) {
        if (message.isAnswer() && unsent == WINDOW) {
            return Outcome.FULL;
        }
        TransportMessage out = channel.take();
        try {
            out.served(message);
        } catch (IllegalStateException closed) {
            channel.giveBack(out);
            throw closed;
        }
        if (message.isAnswer()) {
            unsent++;
        }
        sending = true;
        try {
            channel.send(out, TransportMessage.SERVED);
        } finally {
            sending = false;
        }
        return Outcome.COPIED;
    }

    @Override
    public boolean mayAsk() {
        return !state.hasEnded() && (rdma == null || rdma.mayAsk());
    }

    @Override
    public void memoryClosed(IllegalStateException cause) {
        state.failMemoryClosed(cause);
    }
}
