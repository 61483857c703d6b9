package io.fairlead.internal.engine;

import io.fairlead.Worker;
import io.fairlead.internal.matching.ClaimedMessages;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.matching.LeftBehind;
import io.fairlead.internal.matching.MessageSource;
import io.fairlead.internal.matching.UnexpectedQueue;
import io.fairlead.internal.statistics.CounterSet;
import io.fairlead.statistics.Counter;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The messages of a worker that have arrived and have no receive: unmatched ones and claimed ones. */
final class HeldMessages {
    private static final Logger LOG = LoggerFactory.getLogger(HeldMessages.class);

    private final Worker worker;
    private final UnexpectedQueue unexpected;
    private final ClaimedMessages claimed = new ClaimedMessages();

    HeldMessages(Worker worker, UnexpectedQueue unexpected) {
        this.worker = worker;
        this.unexpected = unexpected;
    }

    static CoreEndpoint endpointOf(CoreArrival arrival) {
        return endpointOf(Objects.requireNonNull(arrival.source, "source"));
    }

    static CoreEndpoint endpointOf(MessageSource source) {
        // There is no other kind of source.
        return (CoreEndpoint) source;
    }

    /** A holder for the properties of a message of this worker. */
    CoreMessageInfo newMessageInfo() {
        return new CoreMessageInfo(worker);
    }

    /** A new arrival. */
    CoreArrival arrival(CoreEndpoint endpoint, long tag, long length) {
        return unexpected.arrival(endpoint, tag, length);
    }

    /** Recycles an arrival whose message was received or dropped. */
    void release(CoreArrival arrival) {
        unexpected.release(arrival);
    }

    /** Keeps an unmatched message. */
    void add(CoreArrival arrival) {
        unexpected.add(arrival);
        CounterSet counters = endpointOf(arrival).counters();
        counters.add(Counter.UNEXPECTED_MESSAGES, 1);
        counters.add(Counter.UNEXPECTED_NOW, 1);
    }

    /** Removes a message, for a receive or to drop it. */
    void remove(CoreArrival arrival) {
        unexpected.remove(arrival);
        endpointOf(arrival).counters().add(Counter.UNEXPECTED_NOW, -1);
    }

    /** The oldest message that matches, of one endpoint or of any, without removal; null if there is none. */
    @Nullable CoreArrival find(@Nullable MessageSource from, long tag, long tagMask) {
        return unexpected.find(from, tag, tagMask);
    }

    /** The oldest message that matches a receive, without removal; null if there is none. */
    @Nullable CoreArrival find(CoreOperation receive) {
        return unexpected.find(receive);
    }

    // Probes and claims.

    boolean probe(long tag, long tagMask, CoreMessageInfo info) {
        return find(tag, tagMask, info) != null;
    }

    boolean claim(long tag, long tagMask, CoreMessageInfo info) {
        if (info.isClaimed()) {
            throw new IllegalStateException(
                    "message info still holds a claimed message: tag=" + info.tag() + "; receive it first");
        }
        CoreArrival arrival = find(tag, tagMask, info);
        if (arrival == null) {
            return false;
        }
        remove(arrival);
        claim(arrival, info);
        return true;
    }

    private @Nullable CoreArrival find(long tag, long tagMask, CoreMessageInfo info) {
        Checks.tag(tag);
        Checks.tagMask(tagMask);
        CoreArrival arrival = unexpected.find(null, tag, tagMask);
        if (arrival != null && !info.isClaimed()) {
            info.fill(arrival, endpointOf(arrival).self());
        }
        return arrival;
    }

    private void claim(CoreArrival arrival, CoreMessageInfo info) {
        claimed.add(arrival);
        info.claimed = arrival;
    }

    /** Claims a new message for the layer of its endpoint, if the layer takes it. */
    boolean tryTakePreface(CoreArrival arrival) {
        return tryTakePreface(arrival, () -> {});
    }

    /** Claims a kept message. */
    boolean tryTakeHeldPreface(CoreArrival arrival) {
        return tryTakePreface(arrival, () -> remove(arrival));
    }

    private boolean tryTakePreface(CoreArrival arrival, Runnable taken) {
        CoreEndpoint endpoint = endpointOf(arrival);
        CoreMessageInfo info = new CoreMessageInfo(worker);
        info.fill(arrival, endpoint.self());
        if (!endpoint.handler().tryTakePreface(info)) {
            return false;
        }
        taken.run();
        claim(arrival, info);
        return true;
    }

    /** The unmatched messages of an endpoint, the oldest first. */
    List<CoreArrival> of(CoreEndpoint endpoint) {
        if (endpoint.counters().value(Counter.UNEXPECTED_NOW) == 0) {
            return List.of();
        }
        return unexpected.matching(kept -> kept.source == endpoint);
    }

    /** The message that a claim holds. */
    CoreArrival claimed(CoreMessageInfo info) {
        CoreArrival arrival = info.claimed;
        if (arrival == null) {
            throw new IllegalArgumentException("message info holds no claimed message; claim one first");
        }
        return arrival;
    }

    /** Removes a claimed message. */
    void removeClaimed(CoreMessageInfo info) {
        claimed.remove(claimed(info));
        info.claimed = null;
    }

    // Ends.

    /**
     * The endpoint has ended: its messages stay if they are complete, and no layer has kept them to itself; the others are dropped.
     */
    void end(CoreEndpoint endpoint) {
        if (endpoint.isExclusive()) {
            of(endpoint).forEach(this::drop);
        }
        for (CoreArrival arrival : of(endpoint)) {
            if (endpoint.tryKeep(arrival)) {
                unexpected.orphan(arrival);
            } else {
                remove(arrival);
                unexpected.release(arrival);
            }
        }
        claimed.end(endpoint);
        dropExcess();
    }

    /** Whether messages of an endpoint may still be received, in any of its states. */
    boolean holdsMessagesOf(CoreEndpoint endpoint) {
        return endpoint.counters().value(Counter.UNEXPECTED_NOW) > 0 || claimed.holdsMessagesOf(endpoint);
    }

    /** Limits the messages of ended endpoints here, because no credits limit them any more. */
    private void dropExcess() {
        int dropped = 0;
        for (CoreArrival arrival = unexpected.excess(); arrival != null; arrival = unexpected.excess()) {
            drop(arrival);
            dropped++;
        }
        if (dropped > 0) {
            LOG.warn(
                    "dropped unreceived messages of ended endpoints; messages={}, limit={} bytes",
                    dropped,
                    LeftBehind.BYTES_MAX);
        }
    }

    private void drop(CoreArrival arrival) {
        remove(arrival);
        endpointOf(arrival).discard(arrival);
        unexpected.release(arrival);
    }

    /** Drops all messages; no receive will match them. */
    void discardAll() {
        unexpected.matching(_ -> true).forEach(this::drop);
        claimed.discardAll();
    }

    /** The total length of unmatched messages. */
    long bytes() {
        return unexpected.bytes();
    }

    /** The number of comparisons of messages with receives. */
    long attempts() {
        return unexpected.attempts();
    }
}
