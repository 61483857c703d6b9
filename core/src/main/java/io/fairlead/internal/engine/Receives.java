package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Status;
import io.fairlead.internal.matching.ClaimedMessages;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.matching.PostedReceiveQueue;
import io.fairlead.internal.matching.UnexpectedQueue;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.MatchingEndpoint;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The receiving half of a worker: posts, probes and claims on one side, arrivals on the other, the two queues of matching between them. */
final class Receives {
    private final CoreWorker worker;
    private final PostedReceiveQueue<CoreOperation> posted = new PostedReceiveQueue<>();
    private final UnexpectedQueue unexpected = new UnexpectedQueue();
    private final ClaimedMessages claimed = new ClaimedMessages();
    /** Receives that transports were left with and that have not ended, and their room. */
    private long left;

    private long leftBytes;

    Receives(CoreWorker worker) {
        this.worker = worker;
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
        CoreArrival arrival = unexpected.find(from, tag, tagMask);
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
            unkeep(arrival);
            deliver(receive, arrival);
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

    boolean probe(long tag, long tagMask, CoreMessageInfo info) {
        return find(tag, tagMask, info) != null;
    }

    boolean claim(long tag, long tagMask, CoreMessageInfo info) {
        if (info.claimed()) {
            throw new IllegalStateException(
                    "message info still holds a claimed message: tag=" + info.tag() + "; receive it first");
        }
        CoreArrival arrival = find(tag, tagMask, info);
        if (arrival == null) {
            return false;
        }
        unkeep(arrival);
        claimed.add(arrival);
        info.claimed = arrival;
        return true;
    }

    private @Nullable CoreArrival find(long tag, long tagMask, CoreMessageInfo info) {
        Checks.tag(tag);
        Checks.tagMask(tagMask);
        CoreArrival arrival = unexpected.find(null, tag, tagMask);
        if (arrival != null && !info.claimed()) {
            info.fill(arrival, endpointOf(arrival));
        }
        return arrival;
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
        CoreArrival arrival = info.claimed;
        if (arrival == null) {
            throw new IllegalArgumentException("message info holds no claimed message; claim one first");
        }
        if (arrival.dead) {
            long status = endpointOf(arrival).terminalStatus().code();
            info.claimed = null;
            claimed.remove(arrival);
            unexpected.release(arrival);
            return status;
        }
        CoreOperation receive = take(null, completion, userData);
        if (receive == null) {
            return worker.backPressure();
        }
        info.claimed = null;
        claimed.remove(arrival);
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
        CoreOperation receive = worker.pool().take();
        if (receive != null) {
            long startedNs = worker.counterSet().began();
            receive.prepare(CoreOperation.RECEIVE, from, completion, userData, startedNs);
            worker.beginPost(receive);
        }
        return receive;
    }

    /** A message has begun to arrive; matched, if a receive waits for it. */
    CoreArrival arrived(CoreEndpoint endpoint, long tag, long length) {
        CoreArrival arrival = unexpected.arrival(endpoint, tag, length);
        CoreOperation receive = usable(endpoint, tag);
        if (receive != null) {
            bind(receive, arrival);
        } else {
            unexpected.add(arrival);
            count(endpoint, Counter.UNEXPECTED_MESSAGES, 1);
            count(endpoint, Counter.UNEXPECTED_NOW, 1);
        }
        return arrival;
    }

    /** The receive that waits for a message which is here whole; null if none does. From here on it is the transport's. */
    @Nullable CoreOperation match(CoreEndpoint from, long tag) {
        CoreOperation receive = usable(from, tag);
        if (receive != null) {
            begin(receive, from, tag);
        }
        return receive;
    }

    /**
     * The receive that waits for a message, out of matching. One whose memory was closed while it waited ends, and the next one has the message:
     * the look costs what the copy into the memory looks at as well.
     */
    private @Nullable CoreOperation usable(CoreEndpoint from, long tag) {
        CoreOperation receive = posted.match(from, tag);
        while (receive != null && !receive.buffer().scope().isAlive()) {
            receive.state = CoreOperation.IN_FLIGHT;
            worker.completed(receive, Status.CANCELLED);
            receive = posted.match(from, tag);
        }
        return receive;
    }

    private void deliver(CoreOperation receive, CoreArrival arrival) {
        bind(receive, arrival);
        EndpointLifecycle from = endpointOf(arrival).lifecycle();
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
        CoreEndpoint from = endpointOf(arrival);
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
        CoreArrival arrival = operation.arrival;
        if (arrival != null) {
            operation.arrival = null;
            unexpected.release(arrival);
        }
    }

    private void count(CoreEndpoint endpoint, Counter counter, long amount) {
        endpoint.posts().counters().add(counter, amount);
        worker.counterSet().add(counter, amount);
    }

    private void unkeep(CoreArrival arrival) {
        unexpected.remove(arrival);
        count(endpointOf(arrival), Counter.UNEXPECTED_NOW, -1);
    }

    private static CoreEndpoint endpointOf(CoreArrival arrival) {
        // No other kind of source is ever given to the queue.
        return (CoreEndpoint) Objects.requireNonNull(arrival.source, "source");
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

    /** The endpoint has ended: its messages stay where they are if every byte is here, and the others are dropped. */
    void settle(CoreEndpoint endpoint) {
        for (CoreArrival arrival : unexpected.matching(kept -> kept.source == endpoint)) {
            if (!endpoint.keep(arrival)) {
                unkeep(arrival);
                unexpected.release(arrival);
            }
        }
        claimed.settle(endpoint);
    }

    /** Shows what waits and what matching has cost, for readers of the statistics. */
    void publish(WorkerStatistics statistics) {
        statistics.set(Counter.UNEXPECTED_BYTES, unexpected.bytes());
        statistics.set(Counter.MATCH_ATTEMPTS, posted.attempts() + unexpected.attempts());
        statistics.set(Counter.RECEIVES_POSTED, posted.count() + left);
        statistics.set(Counter.RECEIVES_POSTED_BYTES, posted.bytes() + leftBytes);
    }

    /** Drops the messages that nobody will receive any more. */
    void discardAll() {
        for (CoreArrival arrival : unexpected.matching(_ -> true)) {
            unkeep(arrival);
            endpointOf(arrival).discard(arrival);
        }
        claimed.discardAll();
    }
}
