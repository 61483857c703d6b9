package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import org.jspecify.annotations.Nullable;

/** One endpoint's operations on its peer's memory by the network card, and their order with requests to the peer. */
final class RdmaOperations implements UcxRequest.Owner {
    /** Sends the other operations as requests to the peer. */
    interface Others {
        /** Operations that must precede further requests may be visible at the peer by now. */
        void resume();

        /** A flush of the application is done here, and continues there. */
        void askFlush(Operation operation);
    }

    private final UcxEndpointState state;
    private final UcxRequests requests;
    private final TransportChannel channel;
    private final Others others;
    private final RdmaOrder order = new RdmaOrder();
    private final PendingSignals signals = new PendingSignals();

    RdmaOperations(UcxEndpointState state, UcxRequests requests, TransportChannel channel, Others others) {
        this.state = state;
        this.requests = requests;
        this.channel = channel;
        this.others = others;
    }

    @Override
    public UcxEndpointState state() {
        return state;
    }

    /** Whether fences allow the network card; {@code idle} means that the peer has answered all requests. */
    boolean mayTouch(boolean idle) {
        return order.mayTouch(idle);
    }

    void put(Operation operation, RdmaMemory memory) {
        state.markDirty();
        order.recordTouch();
        // A put with a signal ends when its signal is sent, so the limit on operations also limits signals.
        boolean hasSignal = operation.hasSignal();
        long length = operation.length();
        long answer = length == 0
                ? 0
                : Ucp.put(
                        state.handle(),
                        operation.buffer(),
                        operation.offset(),
                        length,
                        memory.addressOf(operation),
                        memory.key(),
                        requests.plain.of(requests.nextIndex()));
        requests.posted(
                requests.take(hasSignal ? UcxRequest.Kind.PUT_SIGNAL : UcxRequest.Kind.PLAIN, this, operation, length),
                answer);
        if (hasSignal && !state.hasEnded()) {
            flush(UcxRequest.Kind.SIGNAL_FLUSH, null, signals.add(operation));
        }
    }

    void get(Operation operation, RdmaMemory memory) {
        order.recordTouch();
        long length = operation.length();
        long answer = length == 0
                ? 0
                : Ucp.get(
                        state.handle(),
                        operation.buffer(),
                        operation.offset(),
                        length,
                        memory.addressOf(operation),
                        memory.key(),
                        requests.plain.of(requests.nextIndex()));
        requests.posted(requests.take(UcxRequest.Kind.PLAIN, this, operation, length), answer);
    }

    /** Flushes the network card's operations; false if there is nothing that the last flush does not cover. */
    boolean tryFlush(Operation operation) {
        if (!order.hasUnflushed()) {
            return false;
        }
        flush(UcxRequest.Kind.FLUSH, operation, order.flushes());
        return true;
    }

    private void flush(UcxRequest.Kind kind, @Nullable Operation operation, long turn) {
        UcxRequest request = requests.take(kind, this, operation, 0);
        request.turn = turn;
        requests.posted(request, Ucp.flush(state.handle(), requests.plain.of(request.index)));
    }

    void fence() {
        order.fence(signals.taken());
        if (order.hasUnseen()) {
            Ucp.fence(requests.worker());
        }
    }

    /** Whether fences allow a request now; if not, requests are resumed later. */
    boolean mayAsk() {
        if (order.needsFlush()) {
            flush(UcxRequest.Kind.FENCE_FLUSH, null, order.flushes());
        }
        return order.mayAsk(signals.left());
    }

    /** Whether no signal waits for a flush. */
    boolean isDrained() {
        return signals.isEmpty();
    }

    /** The endpoint has ended. */
    void cancel() {
        signals.cancel();
    }

    @Override
    public void ended(UcxRequest request) {
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
