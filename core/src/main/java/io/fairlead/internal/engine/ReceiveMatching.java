package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.MatchHandler;
import io.fairlead.Status;
import io.fairlead.Worker;
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
final class ReceiveMatching {
    /** So many receives with a partial mask are left to transports; the buckets here find the one of thousands faster. */
    private static final int MASKED_DELEGATED_MAX = 64;

    private final WorkerThread thread;
    private final CompletionDelivery completions;
    private final OperationPool pool;
    private final WorkerStatistics statistics;
    private final DelegatedReceives delegated;
    private final PostedReceiveQueue<CoreOperation> posted = new PostedReceiveQueue<>();
    private final HeldMessages held;
    private final LateBuffers lateBuffers;
    private final LayerReceives layers;
    /** The worker closes, and takes no new receives. */
    private boolean closing;

    /**
     * Creates it without receives and messages.
     *
     * @param held the messages that no receive has
     * @param delegated the receives that transports match by themselves
     */
    ReceiveMatching(
            WorkerThread thread,
            CompletionDelivery completions,
            WorkerStatistics statistics,
            HeldMessages held,
            DelegatedReceives delegated,
            LateBuffers lateBuffers) {
        this.thread = thread;
        this.completions = completions;
        this.pool = completions.pool();
        this.statistics = statistics;
        this.held = held;
        this.delegated = delegated;
        this.lateBuffers = lateBuffers;
        this.layers = new LayerReceives(this, held, completions, statistics, thread);
    }

    /** The messages that layers receive themselves. */
    LayerReceives layers() {
        return layers;
    }

    /** The messages that no receive has. */
    HeldMessages held() {
        return held;
    }

    /** The worker closes: from now on only messages that are here are received. */
    void beginClose() {
        closing = true;
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
            if (from != null && from.posts().transport() == null) {
                return from.posts().refusal();
            }
        }
        CoreOperation receive = take(from, completion, userData);
        if (receive == null) {
            return from == null ? backPressure() : from.posts().backPressure();
        }
        receive.setMemory(buffer, offset, length);
        receive.tag = tag;
        receive.tagMask = tagMask;
        if (from != null) {
            from.owner().add(receive.kind);
        }
        long id = receive.id;
        if (arrival == null) {
            if (from == null || !tryDelegate(from, receive)) {
                posted.post(receive);
            }
        } else {
            held.remove(arrival);
            deliver(receive, arrival);
        }
        completions.endPost(receive);
        return id;
    }

    /** Posts a receive that gets its buffer when a message has matched. Transports cannot match it, so that it always waits here. */
    long post(MatchHandler handler, long tag, long tagMask, Completion completion, long userData) {
        completions.checkNotAsking("receive");
        Objects.requireNonNull(handler, "handler");
        Checks.tag(tag);
        Checks.tagMask(tagMask);
        Objects.requireNonNull(completion, "completion");
        if (closing) {
            return Endpoint.CLOSED;
        }
        CoreOperation receive = prepare(pool.takeWaiting(handler), null, completion, userData);
        if (receive == null) {
            return backPressure();
        }
        receive.setMemory(MemorySegment.NULL, 0, 0);
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
            withdrawUnusable(receive);
        }
        completions.endPost(receive);
        return id;
    }

    /**
     * Leaves a receive to its transport, if that matches by itself. It sees the messages first, so that every receive that waits here must be
     * younger than those which wait there.
     */
    private boolean tryDelegate(CoreEndpoint from, CoreOperation receive) {
        if (!(from.posts().transport() instanceof MatchingEndpoint transport)
                || !posted.isEmpty()
                || !from.lifecycle().host().maySendMessages()) {
            return false;
        }
        if (receive.tagMask != Worker.FULL_TAG_MASK && delegated.masked() >= MASKED_DELEGATED_MAX) {
            // A transport may search through all of these for each message.
            return false;
        }
        // It may end inside the call.
        receive.state = CoreOperation.IN_FLIGHT;
        delegated.add(receive);
        boolean taken;
        try {
            taken = transport.receive(receive);
        } catch (Throwable thrown) {
            if (receive.state == CoreOperation.COMPLETED) {
                from.lifecycle().failThrown(thrown);
                return true;
            }
            delegated.remove(receive);
            from.posts().giveBack(receive);
            throw thrown;
        }
        if (taken) {
            return true;
        }
        delegated.remove(receive);
        receive.state = CoreOperation.POSTED;
        return false;
    }

    /** Receives a claimed message, or says how its endpoint ended before it was whole. */
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
            long status =
                    HeldMessages.endpointOf(arrival).owner().terminalStatus().code();
            held.removeClaimed(info);
            held.release(arrival);
            return status;
        }
        CoreOperation receive = take(null, completion, userData);
        if (receive == null) {
            return backPressure();
        }
        held.removeClaimed(info);
        receive.setMemory(buffer, offset, length);
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

    /** Withdraws a receive that no message has matched. */
    boolean cancel(CoreOperation receive) {
        completions.checkNotAsking("cancel");
        if (receive.kind != CoreOperation.RECEIVE || !(posted.withdraw(receive) || tryWithdraw(receive))) {
            return false;
        }
        receive.state = CoreOperation.IN_FLIGHT;
        completions.complete(receive, Status.CANCELLED);
        return true;
    }

    /** Whether the transport gave a receive back that it was left with. */
    private static boolean tryWithdraw(CoreOperation receive) {
        OperationOwner from = receive.postedOn;
        if (receive.state != CoreOperation.IN_FLIGHT || receive.arrival != null || from == null) {
            return false;
        }
        return HeldMessages.endpointOf(from.source()).posts().transport() instanceof MatchingEndpoint transport
                && transport.withdraw(receive);
    }

    /** Counts a receive without an endpoint that nothing came of, and answers it. */
    private long backPressure() {
        statistics.add(Counter.BACK_PRESSURE_EVENTS, 1);
        return Endpoint.BACK_PRESSURE;
    }

    private @Nullable CoreOperation take(@Nullable CoreEndpoint from, Completion completion, long userData) {
        return prepare(pool.take(), from, completion, userData);
    }

    private @Nullable CoreOperation prepare(
            @Nullable CoreOperation receive, @Nullable CoreEndpoint from, Completion completion, long userData) {
        if (receive != null) {
            long startedNs = statistics.sampleStart();
            receive.prepare(CoreOperation.RECEIVE, from == null ? null : from.owner(), completion, userData, startedNs);
            completions.beginPost(receive);
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
        if (prefaces.mayBeOwn(tag) && layers.tryTake(arrival)) {
            return arrival;
        }
        arrival.preface = prefaces.next();
        prefaces.passed();
        CoreOperation receive = takeUsable(endpoint, tag, length, arrival.preface);
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
            if (prefaces.mayBeOwn(arrival.tag) && layers.tryTakeHeld(arrival)) {
                continue;
            }
            arrival.preface = prefaces.next();
            prefaces.passed();
            CoreOperation receive = takeUsable(endpoint, arrival.tag, arrival.length, arrival.preface);
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
        if (prefaces.mayBeOwn(tag)) {
            CoreOperation own = layers.match(from, tag, length);
            if (own != null) {
                begin(own, from, tag);
                return own;
            }
            // It comes again as an arrival, which asks the layer.
            return null;
        }
        CoreOperation receive = takeUsable(from, tag, length, prefaces.next());
        if (receive != null) {
            prefaces.passed();
            begin(receive, from, tag);
        }
        return receive;
    }

    /** The receive that waits for a message, out of matching. One that is of no use any more ends, and the next one has the message. */
    private @Nullable CoreOperation takeUsable(CoreEndpoint from, long tag, long length, @Nullable Object preface) {
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
                : lateBuffers.tryEquip(receive, handler, from.owner().endpoint(), tag, length, preface);
    }

    private void withdrawUnusable(CoreOperation receive) {
        receive.state = CoreOperation.IN_FLIGHT;
        completions.complete(receive, Status.CANCELLED);
    }

    void deliver(CoreOperation receive, CoreArrival arrival) {
        bind(receive, arrival);
        EndpointLifecycle from = HeldMessages.endpointOf(arrival).lifecycle();
        try {
            from.transport().deliver(arrival);
        } catch (Throwable thrown) {
            // The receive's memory was closed during the call, most likely. Where the message stands nobody knows now.
            from.failThrown(thrown);
            if (receive.state == CoreOperation.IN_FLIGHT) {
                from.transport().discard(arrival);
                receive.complete(Status.CANCELLED, 0);
            }
        }
    }

    /** From here on the receive is the transport's. */
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
            receive.matched = from.owner();
            from.owner().add(receive.kind);
        }
    }

    /** Ends the receives that wait for one endpoint alone. */
    void withdraw(CoreEndpoint endpoint) {
        cancel(posted.matching(receive -> receive.postedOn == endpoint.owner()));
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
    void publish() {
        statistics.set(Counter.UNEXPECTED_BYTES, held.bytes());
        statistics.set(Counter.MATCH_ATTEMPTS, posted.attempts() + held.attempts());
        statistics.set(Counter.RECEIVES_POSTED, posted.count() + delegated.count());
        statistics.set(Counter.RECEIVES_POSTED_BYTES, posted.bytes() + delegated.bytes());
    }
}
