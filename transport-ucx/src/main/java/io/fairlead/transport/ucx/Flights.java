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
 * The UCX requests of one worker. UCX calls back when one ends, and the callback does nothing but note it: what follows
 * runs after UCX's progress has returned, because UCX forbids progress and closing from inside a callback, and an exception
 * that left one would end the process.
 */
final class Flights {
    /** All of memory, so that reading what UCX points to makes no object. */
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** Each costs a call in every turn in which UCX has worked, and a callback costs as much as three. */
    private static final int POLLED_MAX = 2;

    private static final FunctionDescriptor SEND_CALLBACK = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG);
    private static final FunctionDescriptor RECEIVE_CALLBACK =
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);

    private final UcxWorker worker;
    private final Arena arena;
    private final MemorySegment info;

    final Params plain;
    final Params gather;
    final Params message;
    /** Of those that are not called back for. */
    final Params unattendedMessage;

    final Params receive;
    /** Of receives that are asked how they stand instead of being called back for. */
    final Params polledReceive;

    /** Receives without a callback. */
    private final Flight[] polled = new Flight[POLLED_MAX];

    private int polledCount;
    private boolean unasked;

    private Flight[] all = new Flight[64];
    private Flight[] free = new Flight[64];
    private int made;
    private int freeCount;
    /** Ended and not yet dealt with, oldest first. */
    private @Nullable Flight first;

    private @Nullable Flight last;

    Flights(UcxWorker worker, Arena arena) {
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

    /** UCX's callback for all but receives. Must not throw. */
    @SuppressWarnings("unused")
    private void sent(long request, byte status, long index) {
        landed(all[(int) index], status);
    }

    /** UCX's callback for receives. Must not throw. */
    @SuppressWarnings("unused")
    private void received(long request, byte status, long receiveInfo, long index) {
        Flight flight = all[(int) index];
        flight.arrivedTag = MEMORY.get(JAVA_LONG, receiveInfo + Ucp.INFO_TAG);
        flight.arrivedLength = MEMORY.get(JAVA_LONG, receiveInfo + Ucp.INFO_LENGTH);
        landed(flight, status);
    }

    private void landed(Flight flight, byte status) {
        flight.landed = true;
        flight.status = status;
        flight.next = null;
        Flight tail = last;
        if (tail == null) {
            first = flight;
        } else {
            tail.next = flight;
        }
        last = flight;
    }

    Flight take(Flight.Kind kind, @Nullable UcxEndpoint endpoint, @Nullable Operation operation, long length) {
        Flight flight = freeCount > 0 ? free[--freeCount] : make();
        flight.kind = kind;
        flight.endpoint = endpoint;
        flight.operation = operation;
        flight.length = length;
        if (endpoint != null) {
            endpoint.flightBegan(kind);
        }
        return flight;
    }

    private Flight make() {
        if (made == all.length) {
            all = Arrays.copyOf(all, made * 2);
            free = Arrays.copyOf(free, made * 2);
        }
        Flight flight = new Flight(made);
        all[made++] = flight;
        return flight;
    }

    /** A call has answered: the request has ended, failed, or will call back. */
    void posted(Flight flight, long answer) {
        if (answer == 0) {
            flight.status = Ucp.OK;
            end(flight);
        } else if (Ucp.isError(answer)) {
            flight.status = (byte) answer;
            end(flight);
        } else {
            // Even if the callback has run inside the call: it is dealt with when it is its turn.
            flight.request = answer;
        }
    }

    /** The number of the flight that {@link #take} gives next. It exists by now: UCX may call back inside the call that it is for. */
    int nextIndex() {
        if (freeCount == 0) {
            Flight flight = make();
            free[freeCount++] = flight;
        }
        return free[freeCount - 1].index;
    }

    /** Whether one more receive may be asked how it stands: cheaper than a callback while they are few. */
    boolean roomForPolled() {
        return polledCount < POLLED_MAX;
    }

    /** As {@link #posted}, for receives that UCX matches. */
    void postedReceive(Flight flight, long answer, boolean isPolled) {
        if (isPolled && !Ucp.isError(answer)) {
            polled[polledCount++] = flight;
            unasked = true;
        }
        posted(flight, answer);
    }

    private void arrived(Flight flight) {
        flight.arrivedTag = info.get(JAVA_LONG, Ucp.INFO_TAG);
        flight.arrivedLength = info.get(JAVA_LONG, Ucp.INFO_LENGTH);
    }

    /** Whether a receive was posted that may have ended inside its call, and was not asked since. */
    boolean unasked() {
        return unasked;
    }

    /** Asks the receives that are not called back for how they stand. */
    void poll() {
        unasked = false;
        for (int i = polledCount - 1; i >= 0; i--) {
            poll(i);
        }
    }

    private void poll(int i) {
        Flight flight = polled[i];
        byte status = Ucp.received(flight.request, info.address());
        if (status != Ucp.IN_PROGRESS) {
            polled[i] = polled[--polledCount];
            arrived(flight);
            landed(flight, status);
        }
    }

    private void poll(Flight flight) {
        for (int i = 0; i < polledCount; i++) {
            if (polled[i] == flight) {
                poll(i);
                return;
            }
        }
    }

    private void forgetPolled(Flight flight) {
        for (int i = 0; i < polledCount; i++) {
            if (polled[i] == flight) {
                polled[i] = polled[--polledCount];
                return;
            }
        }
    }

    boolean anyLanded() {
        return first != null;
    }

    /** Deals with what has ended so far. */
    int land() {
        int count = 0;
        for (Flight flight = first; flight != null; flight = first) {
            first = flight.next;
            if (first == null) {
                last = null;
            }
            Ucp.free(flight.request);
            end(flight);
            count++;
        }
        return count;
    }

    private void end(Flight flight) {
        UcxEndpoint endpoint = flight.endpoint;
        if (endpoint != null) {
            endpoint.flightEnded(flight.kind);
        }
        try {
            worker.ended(flight);
        } catch (RuntimeException | Error thrown) {
            if (endpoint == null) {
                throw thrown;
            }
            endpoint.broke(thrown);
        } finally {
            giveBack(flight);
        }
    }

    /** A call has thrown: UCX knows of no request. */
    void notPosted(Flight flight) {
        UcxEndpoint endpoint = flight.endpoint;
        if (endpoint != null) {
            endpoint.flightEnded(flight.kind);
        }
        giveBack(flight);
    }

    private void giveBack(Flight flight) {
        flight.clear();
        free[freeCount++] = flight;
    }

    /** Takes a posted receive back; false if a message has matched it. */
    boolean withdraw(Flight flight) {
        if (flight.landed) {
            return false;
        }
        Ucp.cancel(worker.handle(), flight.request);
        poll(flight);
        if (!flight.landed || flight.status != Ucp.CANCELED) {
            return false;
        }
        // It is in the queue of the ended, and there is nothing left to be done for it.
        flight.kind = Flight.Kind.WITHDRAWN;
        flight.operation = null;
        return true;
    }

    /** Cancels the receives of an endpoint that no message has matched; they end in later progress. */
    void cancelPosted(UcxEndpoint endpoint) {
        for (Flight flight : flying()) {
            if (flight.endpoint == endpoint && flight.kind == Flight.Kind.POSTED && !flight.landed) {
                Ucp.cancel(worker.handle(), flight.request);
                poll(flight);
            }
        }
    }

    /** Ends what UCX never will of an endpoint that is gone. */
    void abandon(UcxEndpoint endpoint) {
        for (Flight flight : flying()) {
            if (flight.endpoint == endpoint && !flight.landed) {
                abandon(flight);
            }
        }
    }

    private void abandon(Flight flight) {
        Ucp.cancel(worker.handle(), flight.request);
        poll(flight);
        if (!flight.landed) {
            forgetPolled(flight);
            // Without a callback from now on, and without an end: UCX keeps the request until the worker ends.
            Ucp.free(flight.request);
            flight.status = Ucp.CANCELED;
            end(flight);
        }
    }

    /** Ends everything; for the end of the worker. */
    void abandonAll() {
        flying().stream().filter(flight -> !flight.landed).forEach(this::abandon);
        land();
    }

    boolean idle() {
        return made == freeCount;
    }

    private List<Flight> flying() {
        return Arrays.stream(all, 0, made).filter(flight -> flight.request != 0).toList();
    }
}
