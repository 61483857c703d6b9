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
 * What one endpoint does with its peer's memory, and its peer with this side's: by the network card where there is one between the two, else by
 * messages that the owner serves.
 */
final class RemoteOperations implements ServedChannel, RdmaOperations.Others {
    /** Requests without an answer. The peer keeps those in memory that it has not come round to. */
    static final int WINDOW = 64;

    /** A flush behind a put needs no message of its own this way, and the bound on what is under way holds for puts too. */
    private static final int PUTS_PER_ANSWER = 1;

    private static final ServedLimits LIMITS = new ServedLimits(
            TransportMessage.DATA_MAX, TransportMessage.DATA_MAX, TransportMessage.DATA_MAX, WINDOW, PUTS_PER_ANSWER);

    private final UcxEndpointState state;
    private final TransportChannel channel;
    private final RemoteRequester requester;
    private final RemoteResponder responder;
    /** Null where no network card reaches the peer's memory, or UCX might prefer to do without it. */
    private final @Nullable RdmaOperations rdma;

    private final ServedMessage incoming = new ServedMessage();
    /** Answers that have not left, each of which takes memory. */
    private int unsent;
    /** A message is being sent, which may leave inside the call. */
    private boolean sending;

    RemoteOperations(UcxEndpointState state, UcxRequests requests, TransportChannel channel, boolean byRdma) {
        this.state = state;
        this.channel = channel;
        this.requester = new RemoteRequester(state.host(), this, LIMITS);
        this.responder = new RemoteResponder(state.host(), this, LIMITS);
        this.rdma = byRdma ? new RdmaOperations(state, requests, channel, this) : null;
    }

    /** Makes a region usable. What no network card reaches, or is gone already, is left to the peer. */
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

    /** A flush is done by the network card first, and then behind what was asked of the peer. */
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

    /** Whether nothing is left that a graceful close would lose. */
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

    /** A message of served memory is here. */
    void receive(TransportMessage message) {
        int data = incoming.readWhole(message.memory, 0, message.length, TransportMessage.DATA_MAX);
        if (incoming.isAnswer()) {
            requester.answered(incoming, message.memory, data);
        } else {
            responder.request(incoming, message.memory, data);
        }
    }

    /** An answer has left, or never will. */
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
