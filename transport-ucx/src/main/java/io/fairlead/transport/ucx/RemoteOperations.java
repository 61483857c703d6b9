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
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint's operations on its peer's memory, and the peer's on this side's: by UCX alone if it reaches the memory
 * through a network card or has mapped it, else by messages that the owner serves.
 */
final class RemoteOperations implements ServedChannel, OneSidedOperations.Others {
    /** Maximum number of unanswered requests. The peer stores requests that it has not processed. */
    static final int WINDOW = 64;

    /** With this, a flush after a put needs no message of its own, and the limit in flight also holds for puts. */
    private static final int PUTS_PER_ANSWER = 1;

    private static final ServedLimits LIMITS = new ServedLimits(
            TransportMessage.DATA_MAX, TransportMessage.DATA_MAX, TransportMessage.DATA_MAX, WINDOW, PUTS_PER_ANSWER);

    private final UcxEndpointState state;
    private final UcxRequests requests;
    private final DueParts copies;
    private final TransportChannel channel;
    private final RemoteRequester requester;
    private final RemoteResponder responder;
    /** Null if the peer serves all of its memory. */
    private @Nullable OneSidedOperations oneSided;
    /** The peer's regions can be mapped. */
    private final boolean mapped;

    private final ServedMessage incoming = new ServedMessage();
    /** The number of unsent answers, each of which uses memory. */
    private int unsent;
    /** A message is being sent, and may complete inside the call. */
    private boolean sending;
    /** All operations become requests for now. */
    private boolean stopped;
    /** The lanes are left. */
    private boolean left;

    /**
     * Creates the operations of an endpoint.
     *
     * @param copies the endpoints of the worker with long copies
     * @param route how UCX reaches the peer
     * @param mayMap whether this process maps regions of peers of this host
     */
    RemoteOperations(
            UcxEndpointState state,
            UcxRequests requests,
            TransportChannel channel,
            DueParts copies,
            Lanes.Route route,
            boolean mayMap) {
        this.state = state;
        this.requests = requests;
        this.copies = copies;
        this.channel = channel;
        this.requester = new RemoteRequester(state.host(), this, LIMITS);
        this.responder = new RemoteResponder(state.host(), this, LIMITS);
        this.mapped = mayMap && route == Lanes.Route.SHARED_MEMORY;
        // A card may have acknowledged a put that the peer does not have when the lane fails.
        this.oneSided = mapped || (route == Lanes.Route.RDMA && !state.host().mayLeaveLanes())
                ? new OneSidedOperations(state, requests, channel, copies, this, mapped)
                : null;
    }

    /** Unpacks a region. The peer serves it if it is not reached otherwise, or gone. */
    RemoteMemory unpack(byte[] bytes, RegionProof region, long length) {
        SegmentKey segment = mapped ? SegmentKey.decode(bytes) : null;
        OneSidedMemory memory = segment == null ? unpackOfCard(bytes, region) : map(segment, region, length);
        return memory == null ? new ServedMemory(region) : memory;
    }

    private static @Nullable OneSidedMemory map(SegmentKey key, RegionProof region, long length) {
        SharedRegion mapping = SharedRegion.attach(key, length);
        return mapping == null ? null : OneSidedMemory.mapped(mapping, region);
    }

    private @Nullable OneSidedMemory unpackOfCard(byte[] bytes, RegionProof region) {
        RegionKey key = RegionKey.decode(bytes);
        if (key == null) {
            throw new FairleadException(
                    Reason.MALFORMED_KEY, "UCX part of a remote key is malformed: length=" + bytes.length + " bytes");
        }
        if (mapped || oneSided == null || key.packed().length == 0) {
            return null;
        }
        long handle = Ucp.unpackKey(state.handle(), key.packed());
        return Ucp.isError(handle) ? null : OneSidedMemory.ofCard(handle, key.address(), region);
    }

    /** The memory that an operation accesses without a request; null if it has to be one. */
    private @Nullable OneSidedMemory direct(RemoteMemory remote) {
        OneSidedOperations direct = oneSided;
        if (direct == null
                || stopped
                || !(remote instanceof OneSidedMemory memory)
                || !direct.mayTouch(requester.isIdle())) {
            return null;
        }
        return memory;
    }

    /** Puts without an operation, if that ends inside its call; else {@link #put} must follow at once. */
    boolean tryPut(RemoteMemory target, long at, MemorySegment source, long offset, long length) {
        OneSidedMemory memory = direct(target);
        return memory != null && oneSided().tryPut(memory, at, source, offset, length);
    }

    /** Gets without an operation, if that ends inside its call; else {@link #get} must follow at once. */
    boolean tryGet(RemoteMemory source, long at, MemorySegment target, long offset, long length) {
        OneSidedMemory memory = direct(source);
        return memory != null && oneSided().tryGet(memory, at, target, offset, length);
    }

    void put(Operation operation) {
        OneSidedMemory memory = direct(operation.remote());
        if (memory == null) {
            requester.put(operation);
        } else {
            oneSided().put(operation, memory);
        }
    }

    void get(Operation operation) {
        OneSidedMemory memory = direct(operation.remote());
        if (memory == null) {
            requester.get(operation);
        } else {
            oneSided().get(operation, memory);
        }
    }

    void atomic(Operation operation) {
        OneSidedMemory memory = direct(operation.remote());
        if (memory == null || !oneSided().tryChange(operation, memory)) {
            requester.atomic(operation);
        }
    }

    private OneSidedOperations oneSided() {
        return Objects.requireNonNull(oneSided, "oneSided");
    }

    /** A flush completes for the one-sided operations first, and then after the requests to the peer. */
    void flush(Operation operation) {
        if (oneSided == null || left || !oneSided.tryFlush(operation)) {
            requester.flush(operation);
        }
    }

    void fence() {
        requester.fence();
        if (oneSided != null && !left) {
            oneSided.fence();
        }
    }

    /** UCX is back: operations need no requests again, once the peer has answered those that there are. */
    void comeBack() {
        if (oneSided != null) {
            oneSided = OneSidedOperations.behindRequests(state, requests, channel, copies, this, mapped);
        }
        stopped = false;
        left = false;
    }

    /** Turns all further operations into requests; whether no other is in progress. */
    boolean tryStop() {
        stopped = true;
        left = oneSided == null || oneSided.isIdle();
        if (left) {
            requester.resume();
        }
        return left;
    }

    /** The peer has read earlier answers. */
    void resumeAnswers() {
        if (!sending && responder.isWaiting() && !state.hasEnded()) {
            responder.resume();
        }
    }

    /** Whether a graceful close would lose nothing. */
    boolean isDrained() {
        return requester.isIdle() && (oneSided == null || left || oneSided.isDrained());
    }

    /** The endpoint has ended. */
    void cancel() {
        requester.cancel();
        if (oneSided != null) {
            oneSided.cancel();
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

    @Override
    public void refused() {
        requester.refused();
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
        resumeAnswers();
    }

    @Override
    public Outcome send(ServedMessage message) {
        if (message.isAnswer() && (unsent == WINDOW || channel.isFull())) {
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
        return !state.hasEnded() && (oneSided == null || left || oneSided.mayAsk());
    }

    @Override
    public void memoryClosed(IllegalStateException cause) {
        state.failMemoryClosed(cause);
    }
}
