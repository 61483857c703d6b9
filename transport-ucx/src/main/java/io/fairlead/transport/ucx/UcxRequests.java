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
    /** All of memory, so reading UCX's memory creates no object. */
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /**
     * Each polled receive costs a call in every turn in which UCX has worked, and a callback costs as much as three.
     */
    private static final int POLLED_MAX = 2;

    private static final FunctionDescriptor SEND_CALLBACK = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG);
    private static final FunctionDescriptor RECEIVE_CALLBACK =
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);

    private final long worker;
    private final Arena arena;
    private final MemorySegment info;

    final Params plain;
    final Params gather;
    final Params message;
    /** For requests without a callback. */
    final Params unattendedMessage;

    final Params receive;
    /** For receives that are polled instead of having a callback. */
    final Params polledReceive;

    /** Receives without a callback. */
    private final UcxRequest[] polled = new UcxRequest[POLLED_MAX];

    private int polledCount;
    private boolean unasked;

    private UcxRequest[] all = new UcxRequest[64];
    private UcxRequest[] free = new UcxRequest[64];
    private int made;
    private int freeCount;
    /** Ended and not yet handled, oldest first. */
    private @Nullable UcxRequest first;

    private @Nullable UcxRequest last;

    UcxRequests(long worker, Arena arena) {
        this.worker = worker;
        this.arena = arena;
        this.info = arena.allocate(Ucp.INFO_SIZE, Long.BYTES);
        MemorySegment sent = stub("sent", SEND_CALLBACK);
        plain = Params.plain(arena, sent);
        gather = Params.gather(arena, sent);
        MemorySegment received = stub("received", RECEIVE_CALLBACK);
        message = Params.message(arena, received);
        unattendedMessage = Params.unattendedMessage(arena);
        receive = Params.receive(arena, received);
        polledReceive = Params.polledReceive(arena);
    }

    private MemorySegment stub(String method, FunctionDescriptor descriptor) {
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
        UcxRequest request = all[(int) index];
        request.arrivedTag = MEMORY.get(JAVA_LONG, receiveInfo + Ucp.INFO_TAG);
        request.arrivedLength = MEMORY.get(JAVA_LONG, receiveInfo + Ucp.INFO_LENGTH);
        recordEnd(request, status);
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

    /** A word of native memory for data that nobody reads. */
    MemorySegment scratch() {
        return info;
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

    /** Whether one more receive may be polled: cheaper than a callback while they are few. */
    boolean hasRoomForPolled() {
        return polledCount < POLLED_MAX;
    }

    /** As {@link #posted}, for receives that UCX matches. */
    void postedReceive(UcxRequest request, long answer, boolean isPolled) {
        if (isPolled && !Ucp.isError(answer)) {
            polled[polledCount++] = request;
            unasked = true;
        }
        posted(request, answer);
    }

    private void arrived(UcxRequest request) {
        request.arrivedTag = info.get(JAVA_LONG, Ucp.INFO_TAG);
        request.arrivedLength = info.get(JAVA_LONG, Ucp.INFO_LENGTH);
    }

    /** Whether a receive was posted that may have ended inside its call, and was not polled since. */
    boolean hasUnpolled() {
        return unasked;
    }

    /** Polls the receives without a callback. */
    void poll() {
        unasked = false;
        for (int i = polledCount - 1; i >= 0; i--) {
            poll(i);
        }
    }

    private void poll(int i) {
        UcxRequest request = polled[i];
        byte status = Ucp.received(request.address, info.address());
        if (status != Ucp.IN_PROGRESS) {
            polled[i] = polled[--polledCount];
            arrived(request);
            recordEnd(request, status);
        }
    }

    private void poll(UcxRequest request) {
        for (int i = 0; i < polledCount; i++) {
            if (polled[i] == request) {
                poll(i);
                return;
            }
        }
    }

    private void forgetPolled(UcxRequest request) {
        for (int i = 0; i < polledCount; i++) {
            if (polled[i] == request) {
                polled[i] = polled[--polledCount];
                return;
            }
        }
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

    /** Withdraws a posted receive; false if a message has matched it. */
    boolean withdraw(UcxRequest request) {
        if (request.landed) {
            return false;
        }
        Ucp.cancel(worker, request.address);
        poll(request);
        if (!request.landed || request.status != Ucp.CANCELED) {
            return false;
        }
        // It is in the queue of ended requests, and needs no handling.
        request.kind = UcxRequest.Kind.WITHDRAWN;
        request.operation = null;
        return true;
    }

    /** Cancels the unmatched receives of an endpoint; they end in later progress. */
    void cancelPosted(UcxEndpointState endpoint) {
        for (UcxRequest request : inFlight()) {
            if (isOf(request, endpoint) && request.kind == UcxRequest.Kind.POSTED && !request.landed) {
                Ucp.cancel(worker, request.address);
                poll(request);
            }
        }
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
        poll(request);
        if (!request.landed) {
            forgetPolled(request);
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
