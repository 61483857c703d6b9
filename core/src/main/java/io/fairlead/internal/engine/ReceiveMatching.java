package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.MatchHandler;
import io.fairlead.Status;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.matching.PostedReceiveQueue;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The receiving half of a worker: matches posted receives with arriving messages. */
final class ReceiveMatching {
    private final WorkerThread thread;
    private final CompletionDelivery completions;
    private final OperationPool pool;
    private final WorkerStatistics statistics;
    private final PostedReceiveQueue<CoreOperation> posted = new PostedReceiveQueue<>();
    private final HeldMessages held;
    private final LateBuffers lateBuffers;
    /** The worker closes, and accepts no new receives. */
    private boolean closing;

    /**
     * Creates it without receives and messages.
     *
     * @param held the messages without a receive
     */
    ReceiveMatching(
            WorkerThread thread,
            CompletionDelivery completions,
            WorkerStatistics statistics,
            HeldMessages held,
            LateBuffers lateBuffers) {
        this.thread = thread;
        this.completions = completions;
        this.pool = completions.pool();
        this.statistics = statistics;
        this.held = held;
        this.lateBuffers = lateBuffers;
    }

    /** The messages without a receive. */
    HeldMessages held() {
        return held;
    }

    /** The worker closes: from now on only messages that have arrived are received. */
    void beginClose() {
        closing = true;
    }

    /** Posts a receive from one endpoint or, without one, from any. */
    long post(
            @Nullable PostingEndpoint from,
            MemorySegment buffer,
            long offset,
            long length,
            long tag,
            long tagMask,
            Completion completion,
            long userData) {
        completions.checkNotAsking("receive");
        Checks.target("receive", thread, buffer, offset, length);
        Checks.tag(tag);
        Checks.tagMask(tagMask);
        Objects.requireNonNull(completion, "completion");
        CoreArrival arrival = held.find(from, tag, tagMask);
        if (arrival == null) {
            if (closing) {
                return Endpoint.CLOSED;
            }
            if (from != null && from.transport() == null) {
                return from.refused();
            }
        }
        CoreOperation receive = prepare(pool.take(), from, buffer, offset, length, completion, userData);
        if (receive == null) {
            return from == null ? backPressure() : from.backPressure();
        }
        receive.tag = tag;
        receive.tagMask = tagMask;
        if (from != null) {
            from.add();
        }
        long id = receive.id;
        if (arrival == null) {
            posted.post(receive);
        } else {
            held.remove(arrival);
            deliver(receive, arrival);
        }
        completions.endPost(receive);
        return id;
    }

    /**
     * Posts a receive that gets its buffer when a message has matched. Transports cannot match it, so it always waits
     * here.
     */
    long post(MatchHandler handler, long tag, long tagMask, Completion completion, long userData) {
        completions.checkNotAsking("receive");
        Objects.requireNonNull(handler, "handler");
        Checks.tag(tag);
        Checks.tagMask(tagMask);
        Objects.requireNonNull(completion, "completion");
        if (closing) {
            return Endpoint.CLOSED;
        }
        CoreOperation receive =
                prepare(pool.takeWaiting(handler), null, MemorySegment.NULL, 0, 0, completion, userData);
        if (receive == null) {
            return backPressure();
        }
        receive.tag = tag;
        receive.tagMask = tagMask;
        long id = receive.id;
        CoreArrival arrival = held.find(receive);
        if (arrival == null) {
            posted.post(receive);
        } else if (isUsable(receive, HeldMessages.endpointOf(arrival), arrival.tag, arrival.length, arrival.preface)) {
            held.remove(arrival);
            deliver(receive, arrival);
        } else {
            receive.cancel(Status.CANCELLED);
        }
        completions.endPost(receive);
        return id;
    }

    /** Receives a claimed message, or returns how its endpoint ended before the message was complete. */
    long postClaimed(
            CoreMessageInfo info,
            MemorySegment buffer,
            long offset,
            long length,
            Completion completion,
            long userData) {
        completions.checkNotAsking("receive");
        Checks.target("receive", thread, buffer, offset, length);
        Objects.requireNonNull(completion, "completion");
        CoreArrival arrival = held.claimed(info);
        if (arrival.dead) {
            long status = HeldMessages.endpointOf(arrival).terminalStatus().code();
            held.removeClaimed(info);
            held.release(arrival);
            return status;
        }
        if (!pool.hasRoom()) {
            return backPressure();
        }
        held.removeClaimed(info);
        return receive(arrival, buffer, offset, length, completion, userData);
    }

    /** Receives a message that is in no queue. The pool has an operation for it. */
    long receive(
            CoreArrival arrival, MemorySegment buffer, long offset, long length, Completion completion, long userData) {
        CoreOperation receive = Objects.requireNonNull(
                prepare(pool.takeMatched(), null, buffer, offset, length, completion, userData), "receive");
        long id = receive.id;
        deliver(receive, arrival);
        completions.endPost(receive);
        return id;
    }

    boolean probe(long tag, long tagMask, CoreMessageInfo info) {
        completions.checkNotAsking("probe");
        return held.probe(tag, tagMask, info);
    }

    boolean claim(long tag, long tagMask, CoreMessageInfo info) {
        completions.checkNotAsking("claim");
        return held.claim(tag, tagMask, info);
    }

    /** Withdraws an unmatched receive. */
    boolean cancel(CoreOperation receive) {
        completions.checkNotAsking("cancel");
        if (receive.kind != CoreOperation.RECEIVE || !posted.withdraw(receive)) {
            return false;
        }
        receive.cancel(Status.CANCELLED);
        return true;
    }

    /** Counts a refused receive without an endpoint, and returns its result. */
    private long backPressure() {
        statistics.add(Counter.BACK_PRESSURE_EVENTS, 1);
        return Endpoint.BACK_PRESSURE;
    }

    private @Nullable CoreOperation prepare(
            @Nullable CoreOperation receive,
            @Nullable OperationOwner from,
            MemorySegment buffer,
            long offset,
            long length,
            Completion completion,
            long userData) {
        if (receive != null) {
            long startedNs = statistics.sampleStart();
            receive.prepare(CoreOperation.RECEIVE, from, completion, userData, startedNs, buffer, offset, length);
            completions.beginPost(receive);
        }
        return receive;
    }

    /** A message has begun to arrive: it is matched if a receive waits for it, and claimed if it is the layer's. */
    CoreArrival arrived(CoreEndpoint endpoint, long tag, long length) {
        CoreArrival arrival = held.arrival(endpoint, tag, length);
        if (!endpoint.lifecycle().isAnnounced()) {
            held.add(arrival);
            return arrival;
        }
        GuardedHandler layer = endpoint.handler();
        if (layer.mayBePreface(tag) && held.tryTakePreface(arrival)) {
            return arrival;
        }
        arrival.preface = layer.nextPreface();
        layer.passed();
        CoreOperation receive = takeUsable(endpoint, tag, length, arrival.preface);
        if (receive != null) {
            bind(receive, arrival);
        } else {
            held.add(arrival);
        }
        return arrival;
    }

    /** The endpoint's handler was notified of the endpoint: messages that arrived before are matched now. */
    void announced(CoreEndpoint endpoint) {
        GuardedHandler layer = endpoint.handler();
        for (CoreArrival arrival : held.of(endpoint)) {
            if (layer.mayBePreface(arrival.tag) && held.tryTakeHeldPreface(arrival)) {
                continue;
            }
            arrival.preface = layer.nextPreface();
            layer.passed();
            CoreOperation receive = takeUsable(endpoint, arrival.tag, arrival.length, arrival.preface);
            if (receive != null) {
                held.remove(arrival);
                deliver(receive, arrival);
            }
        }
    }

    /** The receive that matches a complete message; null if there is none. From here on the transport owns it. */
    @Nullable CoreOperation match(CoreEndpoint from, long tag, long length) {
        GuardedHandler layer = from.handler();
        if (layer.mayBePreface(tag)) {
            return null;
        }
        CoreOperation receive = takeUsable(from, tag, length, layer.nextPreface());
        if (receive != null) {
            layer.passed();
            begin(receive, from, tag);
        }
        return receive;
    }

    /** Removes the receive that matches the message. An unusable receive ends, and the next one is tried. */
    private @Nullable CoreOperation takeUsable(CoreEndpoint from, long tag, long length, @Nullable Object preface) {
        CoreOperation receive = posted.match(from, tag);
        while (receive != null && !isUsable(receive, from, tag, length, preface)) {
            receive.cancel(Status.CANCELLED);
            receive = posted.match(from, tag);
        }
        return receive;
    }

    /** Whether a receive has live memory, or gets it now. The check reads the same fields as the later copy. */
    private boolean isUsable(
            CoreOperation receive, CoreEndpoint from, long tag, long length, @Nullable Object preface) {
        MatchHandler handler = receive.matchHandler;
        return handler == null
                ? receive.buffer().scope().isAlive()
                : lateBuffers.tryEquip(receive, handler, from.self(), tag, length, preface);
    }

    void deliver(CoreOperation receive, CoreArrival arrival) {
        bind(receive, arrival);
        EndpointLifecycle from = HeldMessages.endpointOf(arrival).lifecycle();
        try {
            from.transport().deliver(arrival);
        } catch (Throwable thrown) {
            // Most likely the receive's memory was closed during the call. The state of the message is unknown now.
            from.failThrown(thrown);
            if (receive.state == CoreOperation.IN_FLIGHT) {
                from.transport().discard(arrival);
                receive.complete(Status.CANCELLED, 0);
            }
        }
    }

    /** From here on the transport owns the receive. */
    void bind(CoreOperation receive, CoreArrival arrival) {
        CoreEndpoint from = HeldMessages.endpointOf(arrival);
        begin(receive, from, arrival.tag);
        receive.arrival = arrival;
        arrival.operation = receive;
        from.lifecycle().returnCredits(arrival.length);
    }

    private static void begin(CoreOperation receive, CoreEndpoint from, long tag) {
        receive.state = CoreOperation.IN_FLIGHT;
        receive.tag = tag;
        if (receive.postedOn == null) {
            receive.matched = from;
            from.add();
        }
    }

    /** Ends the receives for one endpoint alone. */
    void withdraw(CoreEndpoint endpoint) {
        cancel(posted.matching(receive -> receive.postedOn == endpoint));
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

    /** Publishes the numbers of waiting receives and of comparisons for readers of the statistics. */
    void publish() {
        statistics.set(Counter.UNEXPECTED_BYTES, held.bytes());
        statistics.set(Counter.MATCH_ATTEMPTS, posted.attempts() + held.attempts());
        statistics.set(Counter.RECEIVES_POSTED, posted.count());
        statistics.set(Counter.RECEIVES_POSTED_BYTES, posted.bytes());
    }
}
