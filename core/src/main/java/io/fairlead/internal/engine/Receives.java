package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.MatchHandler;
import io.fairlead.Status;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.matching.PostedReceiveQueue;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.MatchingEndpoint;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The receiving half of a worker: posts on one side, arrivals on the other, matching between them. */
final class Receives {
    private final CoreWorker worker;
    private final PostedReceiveQueue<CoreOperation> posted = new PostedReceiveQueue<>();
    private final HeldMessages held;
    private final LateBuffers lateBuffers;
    /** Receives that transports were left with and that have not ended, and their room. */
    private long left;

    private long leftBytes;

    Receives(CoreWorker worker) {
        this.worker = worker;
        this.held = new HeldMessages(worker);
        this.lateBuffers = new LateBuffers(worker);
    }

    /** The messages that no receive has. */
    HeldMessages held() {
        return held;
    }

    /** Posts a receive from one endpoint or, without one, from any. */
    long post(
            @Nullable CoreEndpoint from,
            MemorySegment buffer,
            long offset,
            long length,
            long tag,
            long tagMask,
            Completion completion,
            long userData) {
        Checks.target("receive", worker, buffer, offset, length);
        Checks.tag(tag);
        Checks.tagMask(tagMask);
        Objects.requireNonNull(completion, "completion");
        CoreArrival arrival = held.find(from, tag, tagMask);
        if (arrival == null) {
            if (worker.closing()) {
                return Endpoint.CLOSED;
            }
            if (from != null && from.posts().transport() == null) {
                return from.posts().refusal();
            }
        }
        CoreOperation receive = take(from, completion, userData);
        if (receive == null) {
            return from == null ? worker.backPressure() : from.posts().backPressure();
        }
        receive.memory(buffer, offset, length);
        receive.tag = tag;
        receive.tagMask = tagMask;
        if (from != null) {
            from.posts().began(receive);
        }
        long id = receive.id;
        if (arrival == null) {
            if (from == null || !offered(from, receive)) {
                posted.post(receive);
            }
        } else {
            held.remove(arrival);
            deliver(receive, arrival);
        }
        worker.endPost(receive);
        return id;
    }

    /** Posts a receive that gets its buffer when a message has matched. Transports cannot match it, so that it always waits here. */
    long post(MatchHandler handler, long tag, long tagMask, Completion completion, long userData) {
        Objects.requireNonNull(handler, "handler");
        Checks.tag(tag);
        Checks.tagMask(tagMask);
        Objects.requireNonNull(completion, "completion");
        if (worker.closing()) {
            return Endpoint.CLOSED;
        }
        CoreOperation receive = began(worker.pool().takeWaiting(), null, completion, userData);
        if (receive == null) {
            return worker.backPressure();
        }
        receive.memory(MemorySegment.NULL, 0, 0);
        receive.tag = tag;
        receive.tagMask = tagMask;
        receive.matchHandler = handler;
        long id = receive.id;
        CoreArrival arrival = held.find(receive);
        if (arrival == null) {
            posted.post(receive);
        } else if (isUsable(receive, HeldMessages.endpointOf(arrival), arrival.tag, arrival.length, arrival.preface)) {
            held.remove(arrival);
            deliver(receive, arrival);
        } else {
            withdrawUnusable(receive);
        }
        worker.endPost(receive);
        return id;
    }

    /**
     * Leaves a receive to its transport, if that matches by itself. It sees the messages first, so that every receive that waits here must be
     * younger than those which wait there.
     */
    private boolean offered(CoreEndpoint from, CoreOperation receive) {
        if (!(from.posts().transport() instanceof MatchingEndpoint transport) || !posted.isEmpty()) {
            return false;
        }
        // It may end inside the call.
        receive.state = CoreOperation.IN_FLIGHT;
        leave(receive);
        boolean taken;
        try {
            taken = transport.receive(receive);
        } catch (Throwable thrown) {
            if (receive.state == CoreOperation.COMPLETED) {
                from.lifecycle().broke(thrown);
                return true;
            }
            takeBack(receive);
            from.posts().giveBack(receive);
            throw thrown;
        }
        if (taken) {
            return true;
        }
        takeBack(receive);
        receive.state = CoreOperation.POSTED;
        return false;
    }

    private void leave(CoreOperation receive) {
        receive.left = receive.length();
        left++;
        leftBytes += receive.left;
    }

    private void takeBack(CoreOperation receive) {
        if (receive.left != CoreOperation.NOT_LEFT) {
            left--;
            leftBytes -= receive.left;
            receive.left = CoreOperation.NOT_LEFT;
        }
    }

    /** Receives a claimed message, or says how its endpoint ended before it was whole. */
    long postClaimed(
            CoreMessageInfo info,
            MemorySegment buffer,
            long offset,
            long length,
            Completion completion,
            long userData) {
        Checks.target("receive", worker, buffer, offset, length);
        Objects.requireNonNull(completion, "completion");
        CoreArrival arrival = held.claimed(info);
        if (arrival.dead) {
            long status = HeldMessages.endpointOf(arrival).terminalStatus().code();
            held.removeClaimed(info);
            held.release(arrival);
            return status;
        }
        CoreOperation receive = take(null, completion, userData);
        if (receive == null) {
            return worker.backPressure();
        }
        held.removeClaimed(info);
        receive.memory(buffer, offset, length);
        long id = receive.id;
        deliver(receive, arrival);
        worker.endPost(receive);
        return id;
    }

    /** Withdraws a receive that no message has matched. */
    boolean cancel(CoreOperation receive) {
        if (receive.kind != CoreOperation.RECEIVE || !(posted.withdraw(receive) || withdrawn(receive))) {
            return false;
        }
        receive.state = CoreOperation.IN_FLIGHT;
        worker.completed(receive, Status.CANCELLED);
        return true;
    }

    /** Whether the transport gave a receive back that it was left with. */
    private static boolean withdrawn(CoreOperation receive) {
        CoreEndpoint from = receive.endpoint;
        if (receive.state != CoreOperation.IN_FLIGHT || receive.arrival != null || from == null) {
            return false;
        }
        return from.posts().transport() instanceof MatchingEndpoint transport && transport.withdraw(receive);
    }

    private @Nullable CoreOperation take(@Nullable CoreEndpoint from, Completion completion, long userData) {
        return began(worker.pool().take(), from, completion, userData);
    }

    private @Nullable CoreOperation began(
            @Nullable CoreOperation receive, @Nullable CoreEndpoint from, Completion completion, long userData) {
        if (receive != null) {
            long startedNs = worker.statistics().sampleStart();
            receive.prepare(CoreOperation.RECEIVE, from, completion, userData, startedNs);
            worker.beginPost(receive);
        }
        return receive;
    }

    /** A message has begun to arrive; matched, if a receive waits for it, and claimed, if it is one of the endpoint's layer. */
    CoreArrival arrived(CoreEndpoint endpoint, long tag, long length) {
        CoreArrival arrival = held.arrival(endpoint, tag, length);
        if (!endpoint.lifecycle().isAnnounced()) {
            held.add(arrival);
            return arrival;
        }
        Prefaces prefaces = endpoint.prefaces();
        if (prefaces.mayBe(tag) && held.tryTakePreface(arrival)) {
            return arrival;
        }
        arrival.preface = prefaces.next();
        prefaces.passed();
        CoreOperation receive = usable(endpoint, tag, length, arrival.preface);
        if (receive != null) {
            bind(receive, arrival);
        } else {
            held.add(arrival);
        }
        return arrival;
    }

    /** The endpoint's handler knows the endpoint: what has arrived before that is matched now. */
    void announced(CoreEndpoint endpoint) {
        Prefaces prefaces = endpoint.prefaces();
        for (CoreArrival arrival : held.of(endpoint)) {
            if (prefaces.mayBe(arrival.tag) && held.tryTakeHeldPreface(arrival)) {
                continue;
            }
            arrival.preface = prefaces.next();
            prefaces.passed();
            CoreOperation receive = usable(endpoint, arrival.tag, arrival.length, arrival.preface);
            if (receive != null) {
                held.remove(arrival);
                deliver(receive, arrival);
            }
        }
    }

    /** The receive that waits for a message which is here whole; null if none does. From here on it is the transport's. */
    @Nullable CoreOperation match(CoreEndpoint from, long tag, long length) {
        Prefaces prefaces = from.prefaces();
        if (prefaces.mayBe(tag)) {
            return null;
        }
        CoreOperation receive = usable(from, tag, length, prefaces.next());
        if (receive != null) {
            prefaces.passed();
            begin(receive, from, tag);
        }
        return receive;
    }

    /** The receive that waits for a message, out of matching. One that is of no use any more ends, and the next one has the message. */
    private @Nullable CoreOperation usable(CoreEndpoint from, long tag, long length, @Nullable Object preface) {
        CoreOperation receive = posted.match(from, tag);
        while (receive != null && !isUsable(receive, from, tag, length, preface)) {
            withdrawUnusable(receive);
            receive = posted.match(from, tag);
        }
        return receive;
    }

    /** Whether a receive still has memory, or gets it now. The look costs what the copy into the memory looks at as well. */
    private boolean isUsable(
            CoreOperation receive, CoreEndpoint from, long tag, long length, @Nullable Object preface) {
        MatchHandler handler = receive.matchHandler;
        return handler == null
                ? receive.buffer().scope().isAlive()
                : lateBuffers.tryEquip(receive, handler, from, tag, length, preface);
    }

    private void withdrawUnusable(CoreOperation receive) {
        receive.state = CoreOperation.IN_FLIGHT;
        worker.completed(receive, Status.CANCELLED);
    }

    private void deliver(CoreOperation receive, CoreArrival arrival) {
        bind(receive, arrival);
        EndpointLifecycle from = HeldMessages.endpointOf(arrival).lifecycle();
        try {
            from.transport().deliver(arrival);
        } catch (Throwable thrown) {
            // The receive's memory was closed during the call, most likely. Where the message stands nobody knows now.
            from.broke(thrown);
            if (receive.state == CoreOperation.IN_FLIGHT) {
                from.transport().discard(arrival);
                receive.complete(Status.CANCELLED, 0);
            }
        }
    }

    /** From here on the receive is the transport's. */
    private void bind(CoreOperation receive, CoreArrival arrival) {
        CoreEndpoint from = HeldMessages.endpointOf(arrival);
        begin(receive, from, arrival.tag);
        receive.arrival = arrival;
        arrival.operation = receive;
        from.lifecycle().matched(arrival.length);
    }

    private static void begin(CoreOperation receive, CoreEndpoint from, long tag) {
        receive.state = CoreOperation.IN_FLIGHT;
        receive.tag = tag;
        if (receive.endpoint == null) {
            receive.matched = from;
            from.posts().began(receive);
        }
    }

    /** A receive has ended, and its message with it. */
    void ended(CoreOperation operation) {
        if (operation.kind != CoreOperation.RECEIVE) {
            return;
        }
        takeBack(operation);
        lateBuffers.left(operation);
        CoreArrival arrival = operation.arrival;
        if (arrival != null) {
            operation.arrival = null;
            held.release(arrival);
        }
    }

    /** Ends the receives that wait for one endpoint alone. */
    void withdraw(CoreEndpoint endpoint) {
        cancel(posted.matching(receive -> receive.endpoint == endpoint));
    }

    /** Ends every receive. */
    void cancelAll() {
        cancel(posted.matching(_ -> true));
    }

    private void cancel(List<CoreOperation> receives) {
        for (CoreOperation receive : receives) {
            posted.withdraw(receive);
            receive.state = CoreOperation.IN_FLIGHT;
            receive.complete(Status.CANCELLED, 0);
        }
    }

    /** Shows what waits and what matching has cost, for readers of the statistics. */
    void publish(WorkerStatistics statistics) {
        statistics.set(Counter.UNEXPECTED_BYTES, held.bytes());
        statistics.set(Counter.MATCH_ATTEMPTS, posted.attempts() + held.attempts());
        statistics.set(Counter.RECEIVES_POSTED, posted.count() + left);
        statistics.set(Counter.RECEIVES_POSTED_BYTES, posted.bytes() + leftBytes);
    }
}
