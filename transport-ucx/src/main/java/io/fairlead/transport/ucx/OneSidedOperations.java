package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint's operations on its peer's memory without the peer, and their order with requests to it. A network card
 * accesses the memory later, until a flush. Memory that is mapped here is accessed inside the call, which needs no flush
 * then.
 */
final class OneSidedOperations implements UcxRequest.Owner, LongCopies.Ends {
    /** Sends the other operations as requests to the peer. */
    interface Others {
        /** Operations that must precede further requests may be visible at the peer by now. */
        void resume();

        /** A flush of the application is done here, and continues there. */
        void askFlush(Operation operation);

        /** A put was refused here, which the next flush reports. */
        void refused();
    }

    private final UcxEndpointState state;
    private final UcxRequests requests;
    private final TransportChannel channel;
    private final Others others;
    /** The peer's regions are mapped here. */
    private final boolean mapped;

    private final OneSidedOrder order = new OneSidedOrder();
    private final PendingSignals signals = new PendingSignals();
    /** On mapped memory alone. */
    private final LongCopies copies;

    /** UCX's answer to a put or get that has begun and not ended inside its call; else 0. Its operation follows. */
    private long begun;
    /** The number of requests. */
    private int inUcx;

    OneSidedOperations(
            UcxEndpointState state,
            UcxRequests requests,
            TransportChannel channel,
            DueParts copying,
            Others others,
            boolean mapped) {
        this.state = state;
        this.requests = requests;
        this.channel = channel;
        this.others = others;
        this.mapped = mapped;
        this.copies = new LongCopies(state, copying, this);
    }

    /** Operations that begin when the peer has answered all requests. */
    static OneSidedOperations behindRequests(
            UcxEndpointState state,
            UcxRequests requests,
            TransportChannel channel,
            DueParts copying,
            Others others,
            boolean mapped) {
        OneSidedOperations made = new OneSidedOperations(state, requests, channel, copying, others, mapped);
        made.order.fence(0);
        return made;
    }

    @Override
    public UcxEndpointState state() {
        return state;
    }

    private UcxRequest take(UcxRequest.Kind kind, @Nullable Operation operation, long length) {
        inUcx++;
        return requests.take(kind, this, operation, length);
    }

    /** Whether fences allow one-sided operations; {@code idle} means that the peer has answered all requests. */
    boolean mayTouch(boolean idle) {
        return order.mayTouch(idle);
    }

    /**
     * Puts if that ends inside UCX's call. If it does not, {@link #put} with the same data must follow, before any other
     * call of UCX.
     */
    boolean tryPut(OneSidedMemory memory, long at, MemorySegment source, long offset, long length) {
        if (mustWait(length) || !memory.isOpen()) {
            return false;
        }
        begun = post(true, memory, at, source, offset, length);
        if (begun != 0) {
            return false;
        }
        notePut(0);
        return true;
    }

    /** Gets if that ends inside UCX's call; as {@link #tryPut}. */
    boolean tryGet(OneSidedMemory memory, long at, MemorySegment target, long offset, long length) {
        if (mustWait(length) || !memory.isOpen()) {
            return false;
        }
        begun = post(false, memory, at, target, offset, length);
        if (begun != 0) {
            return false;
        }
        noteGet(0);
        return true;
    }

    private boolean mustWait(long length) {
        return mapped && copies.mustWait(length);
    }

    private long post(boolean put, OneSidedMemory memory, long at, MemorySegment local, long offset, long length) {
        SharedRegion region = memory.shared();
        if (region != null) {
            if (put) {
                region.put(at, local, offset, length);
            } else {
                region.get(at, local, offset, length);
            }
            return 0;
        }
        if (length == 0) {
            return 0;
        }
        long params = requests.plain.of(requests.nextIndex());
        return put
                ? Ucp.put(state.handle(), local, offset, length, memory.addressOf(at), memory.key(), params)
                : Ucp.get(state.handle(), local, offset, length, memory.addressOf(at), memory.key(), params);
    }

    private void notePut(long answer) {
        if (!isVisible(answer)) {
            state.markDirty();
            order.recordTouch();
        }
    }

    private void noteGet(long answer) {
        if (!isVisible(answer)) {
            order.recordTouch();
        }
    }

    /** Whether an operation with this answer of UCX is visible to all, but for a fence of the processor. */
    private boolean isVisible(long answer) {
        return mapped && answer == 0;
    }

    void put(Operation operation, OneSidedMemory memory) {
        long answer = begun;
        begun = 0;
        long length = operation.length();
        if (answer == 0 && mustWait(length)) {
            copies.add(operation, LongCopies.PUT);
            return;
        }
        if (answer == 0) {
            if (!memory.isOpen()) {
                others.refused();
                operation.complete(Status.OK, length);
                return;
            }
            answer = post(true, memory, operation.remoteOffset(), operation.buffer(), operation.offset(), length);
        }
        notePut(answer);
        // A put with a signal ends when its signal is sent, so the limit on operations also limits signals.
        boolean hasSignal = operation.hasSignal();
        requests.posted(
                take(hasSignal ? UcxRequest.Kind.PUT_SIGNAL : UcxRequest.Kind.PLAIN, operation, length), answer);
        if (hasSignal && !state.hasEnded()) {
            addSignal(operation);
        }
    }

    private void addSignal(Operation put) {
        long turn = signals.add(put);
        if (mapped && !order.hasUnseen()) {
            signals.flushed(turn);
            sendSignals();
        } else {
            flush(UcxRequest.Kind.SIGNAL_FLUSH, null, turn);
        }
    }

    @Override
    public void putDone(Operation put, boolean open) {
        if (!open) {
            others.refused();
        }
        if (open && put.hasSignal()) {
            addSignal(put);
        } else {
            put.complete(Status.OK, put.length());
        }
    }

    void get(Operation operation, OneSidedMemory memory) {
        long answer = begun;
        begun = 0;
        long length = operation.length();
        if (answer == 0 && mustWait(length)) {
            copies.add(operation, LongCopies.GET);
            return;
        }
        if (answer == 0) {
            if (!memory.isOpen()) {
                operation.complete(Status.REVOKED, 0);
                return;
            }
            answer = post(false, memory, operation.remoteOffset(), operation.buffer(), operation.offset(), length);
        }
        noteGet(answer);
        requests.posted(take(UcxRequest.Kind.PLAIN, operation, length), answer);
    }

    /** Changes a word of a mapped region; false if its owner has to, because earlier operations may not be visible yet. */
    boolean tryChange(Operation operation, OneSidedMemory memory) {
        SharedRegion region = memory.shared();
        if (region == null || order.hasUnseen()) {
            return false;
        }
        if (copies.isEmpty()) {
            changeDue(operation, region);
        } else {
            copies.add(operation, LongCopies.ATOMIC);
        }
        return true;
    }

    @Override
    public void changeDue(Operation change, SharedRegion region) {
        if (region.isOpen()) {
            long before = region.change(change.atomic(), change.remoteOffset(), change.operand(), change.compare());
            change.complete(Status.OK, Long.BYTES, before);
        } else {
            change.complete(Status.REVOKED, 0);
        }
    }

    /** Flushes the operations; false if all of them are visible. */
    boolean tryFlush(Operation operation) {
        if (copies.isEmpty()) {
            return tryFlushHere(operation);
        }
        copies.add(operation, LongCopies.FLUSH);
        return true;
    }

    private boolean tryFlushHere(Operation operation) {
        if (mapped) {
            // Earlier puts are visible to all before any later get.
            VarHandle.fullFence();
        }
        if (!order.hasUnseen()) {
            return false;
        }
        flush(UcxRequest.Kind.FLUSH, operation, order.flushes());
        return true;
    }

    @Override
    public void flushDue(Operation flush) {
        if (!tryFlushHere(flush)) {
            others.askFlush(flush);
        }
    }

    private void flush(UcxRequest.Kind kind, @Nullable Operation operation, long turn) {
        UcxRequest request = take(kind, operation, 0);
        request.turn = turn;
        requests.posted(request, Ucp.flush(state.handle(), requests.plain.of(request.index)));
    }

    void fence() {
        if (mapped) {
            VarHandle.acquireFence();
            VarHandle.releaseFence();
        }
        copies.fence();
        order.fence(signals.taken());
        if (order.hasUnseen()) {
            Ucp.fence(requests.worker());
        }
    }

    @Override
    public void fenceDone() {
        // Signals of the puts that waited precede what follows the fence.
        order.fence(signals.taken());
    }

    @Override
    public void resume() {
        others.resume();
    }

    /** Whether fences allow a request now; if not, requests are resumed later. */
    boolean mayAsk() {
        if (order.needsFlush()) {
            flush(UcxRequest.Kind.FENCE_FLUSH, null, order.flushes());
        }
        return copies.mayAsk() && order.mayAsk(signals.left());
    }

    /** Whether UCX has nothing of it in progress, and no copy waits. */
    boolean isIdle() {
        return inUcx == 0 && isDrained();
    }

    /** Whether no signal waits for a flush. */
    boolean isDrained() {
        return signals.isEmpty() && copies.isEmpty();
    }

    /** The endpoint has ended. */
    void cancel() {
        copies.cancel();
        signals.cancel();
    }

    @Override
    public void ended(UcxRequest request) {
        inUcx--;
        boolean succeeded = request.hasSucceeded();
        switch (request.kind) {
            case PLAIN -> request.operation().complete(succeeded ? Status.OK : Status.CANCELLED, request.length);
            case FLUSH -> {
                if (succeeded) {
                    flushed(request.turn);
                    others.askFlush(request.operation());
                } else {
                    request.operation().complete(Status.CANCELLED, 0);
                }
            }
            case FENCE_FLUSH -> {
                if (succeeded) {
                    flushed(request.turn);
                }
            }
            case SIGNAL_FLUSH -> {
                if (succeeded) {
                    signals.flushed(request.turn);
                    sendSignals();
                }
            }
            default -> {
                // A put whose signal is not sent yet.
            }
        }
    }

    private void flushed(long turn) {
        order.flushed(turn);
        others.resume();
    }

    private void sendSignals() {
        while (!state.hasEnded()) {
            Operation put = signals.poll();
            if (put == null) {
                break;
            }
            channel.sendSignal(put);
        }
        others.resume();
    }
}
