package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.spi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The UCX requests of one worker. UCX calls back when one ends, and the callback only records it. The effects follow
 * after UCX's progress has returned: UCX forbids progress and closing inside a callback, and an exception that left one
 * would end the process.
 */
final class UcxRequests {
    private static final FunctionDescriptor SEND_CALLBACK = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG);
    private static final FunctionDescriptor RECEIVE_CALLBACK =
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);

    private final long worker;

    final Params plain;
    final Params gather;
    final Params message;
    /** For requests without a callback. */
    final Params unattendedMessage;

    /** For receives that are asked whether they have ended. */
    final Params askedReceive;

    private UcxRequest[] all = new UcxRequest[64];
    private UcxRequest[] free = new UcxRequest[64];
    private int made;
    private int freeCount;
    /** Ended and not yet handled, oldest first. */
    private @Nullable UcxRequest first;

    private @Nullable UcxRequest last;

    UcxRequests(long worker, Arena arena) {
        this.worker = worker;
        MemorySegment sent = stub("sent", SEND_CALLBACK, arena);
        plain = Params.plain(arena, sent);
        gather = Params.gather(arena, sent);
        MemorySegment received = stub("received", RECEIVE_CALLBACK, arena);
        message = Params.message(arena, received);
        unattendedMessage = Params.unattendedMessage(arena);
        askedReceive = Params.askedReceive(arena);
    }

    private MemorySegment stub(String method, FunctionDescriptor descriptor, Arena arena) {
        return Ucp.callback(MethodHandles.lookup(), this, method, descriptor, arena);
    }

    /** UCX's callback for everything except receives. Must not throw. */
    @SuppressWarnings("unused")
    private void sent(long address, byte status, long index) {
        recordEnd(all[(int) index], status);
    }

    /** UCX's callback for receives. Must not throw. */
    @SuppressWarnings("unused")
    private void received(long address, byte status, long receiveInfo, long index) {
        recordEnd(all[(int) index], status);
    }

    private void recordEnd(UcxRequest request, byte status) {
        request.landed = true;
        request.status = status;
        request.next = null;
        UcxRequest tail = last;
        if (tail == null) {
            first = request;
        } else {
            tail.next = request;
        }
        last = request;
    }

    /** The UCX worker of the requests. */
    long worker() {
        return worker;
    }

    UcxRequest take(UcxRequest.Kind kind, UcxRequest.Owner owner, @Nullable Operation operation, long length) {
        UcxRequest request = freeCount > 0 ? free[--freeCount] : make();
        request.kind = kind;
        request.owner = owner;
        request.operation = operation;
        request.length = length;
        owner.state().beginRequest(kind.leaves());
        return request;
    }

    private UcxRequest make() {
        if (made == all.length) {
            all = Arrays.copyOf(all, made * 2);
            free = Arrays.copyOf(free, made * 2);
        }
        UcxRequest request = new UcxRequest(made);
        all[made++] = request;
        return request;
    }

    /** A call has returned: the request has ended, failed, or will call back. */
    void posted(UcxRequest request, long answer) {
        if (answer == 0) {
            request.status = Ucp.OK;
            end(request);
        } else if (Ucp.isError(answer)) {
            request.status = (byte) answer;
            end(request);
        } else {
            // Even if the callback has run inside the call: it is handled in its turn.
            request.address = answer;
        }
    }

    /**
     * The index of the request that {@link #take} returns next. The request exists by now: UCX may call back inside its
     * call.
     */
    int nextIndex() {
        if (freeCount == 0) {
            UcxRequest request = make();
            free[freeCount++] = request;
        }
        return free[freeCount - 1].index;
    }

    boolean hasEnded() {
        return first != null;
    }

    /** Handles the ended requests. */
    int finishEnded() {
        int count = 0;
        for (UcxRequest request = first; request != null; request = first) {
            first = request.next;
            if (first == null) {
                last = null;
            }
            Ucp.free(request.address);
            end(request);
            count++;
        }
        return count;
    }

    private void end(UcxRequest request) {
        UcxRequest.Owner owner = request.owner();
        UcxEndpointState state = owner.state();
        state.endRequest(request.kind.leaves());
        try {
            if (!request.hasReceived() && request.status != Ucp.CANCELED) {
                state.failLost(request.status);
            }
            owner.ended(request);
        } catch (RuntimeException | Error thrown) {
            state.failThrown(thrown);
        } finally {
            giveBack(request);
        }
    }

    /** A call has thrown an exception: UCX has no request. */
    void dropUnposted(UcxRequest request) {
        request.owner().state().endRequest(request.kind.leaves());
        giveBack(request);
    }

    private void giveBack(UcxRequest request) {
        request.clear();
        free[freeCount++] = request;
    }

    /** Ends the requests of a gone endpoint that UCX never will. */
    void abandon(UcxEndpointState endpoint) {
        for (UcxRequest request : inFlight()) {
            if (isOf(request, endpoint) && !request.landed) {
                abandon(request);
            }
        }
    }

    private void abandon(UcxRequest request) {
        Ucp.cancel(worker, request.address);
        if (!request.landed) {
            // From now on without a callback and without an end: UCX keeps the request until the worker ends.
            Ucp.free(request.address);
            request.status = Ucp.CANCELED;
            end(request);
        }
    }

    /** Ends all requests, at the end of the worker. */
    void abandonAll() {
        inFlight().stream().filter(request -> !request.landed).forEach(this::abandon);
        finishEnded();
    }

    boolean isIdle() {
        return made == freeCount;
    }

    /** A request that has ended meanwhile, inside a cancel, has no owner. */
    private static boolean isOf(UcxRequest request, UcxEndpointState endpoint) {
        UcxRequest.Owner owner = request.owner;
        return owner != null && owner.state() == endpoint;
    }

    private List<UcxRequest> inFlight() {
        return Arrays.stream(all, 0, made)
                .filter(request -> request.address != 0)
                .toList();
    }
}
