package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.spi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The UCX requests of one worker. UCX calls back when one ends, and the callback does nothing but note it: what follows
 * runs after UCX's progress has returned, because UCX forbids progress and closing from inside a callback, and an exception
 * that left one would end the process.
 */
final class Flights {
    private static final Linker LINKER = Linker.nativeLinker();
    /** All of memory, so that reading what UCX points to makes no object. */
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final FunctionDescriptor SEND_CALLBACK = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG);
    private static final FunctionDescriptor RECEIVE_CALLBACK =
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);

    private final UcxWorker worker;
    private final Arena arena;
    private final MemorySegment info;

    final Params plain;
    final Params gather;
    final Params receive;
    final Params atomic;

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
        atomic = Params.atomic(arena, sent);
        receive = Params.receive(arena, stub("received", RECEIVE_CALLBACK), info);
    }

    private MemorySegment stub(String method, FunctionDescriptor descriptor) {
        MethodType type = descriptor.toMethodType();
        try {
            MethodHandle target = MethodHandles.lookup()
                    .findVirtual(Flights.class, method, type)
                    .bindTo(this);
            return LINKER.upcallStub(target, descriptor, arena);
        } catch (NoSuchMethodException | IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
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
        Flight flight = new Flight(made, arena);
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

    /** As {@link #posted}, for receives, which are told of tag and length in another place if they end at once. */
    void postedReceive(Flight flight, long answer) {
        if (answer == 0) {
            flight.arrivedTag = info.get(JAVA_LONG, Ucp.INFO_TAG);
            flight.arrivedLength = info.get(JAVA_LONG, Ucp.INFO_LENGTH);
        }
        posted(flight, answer);
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
        worker.ended(flight);
        flight.clear();
        free[freeCount++] = flight;
    }

    /** Takes a posted receive back; false if a message has matched it. */
    boolean withdraw(Flight flight) {
        if (flight.landed) {
            return false;
        }
        Ucp.cancel(worker.handle(), flight.request);
        if (!flight.landed || flight.status != Ucp.CANCELED) {
            return false;
        }
        // It is in the queue of the ended, and there is nothing left to be done for it.
        flight.kind = Flight.Kind.DISCARD;
        flight.operation = null;
        return true;
    }

    /** Cancels the receives of an endpoint that no message has matched; they end in later progress. */
    void cancelPosted(UcxEndpoint endpoint) {
        for (Flight flight : flying()) {
            if (flight.endpoint == endpoint && flight.kind == Flight.Kind.POSTED && !flight.landed) {
                Ucp.cancel(worker.handle(), flight.request);
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
        if (!flight.landed) {
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
