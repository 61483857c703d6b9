package io.fairlead.internal.matching;

import io.fairlead.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one worker that have arrived ahead of their receives; a receive takes the first one that fits. They hang in one
 * list in the order of their arrival and, a second time, in buckets by tag.
 */
public final class UnexpectedQueue {
    private final @Nullable CoreArrival[] bucketFirst = new @Nullable CoreArrival[TagBuckets.COUNT];
    private final @Nullable CoreArrival[] bucketLast = new @Nullable CoreArrival[TagBuckets.COUNT];
    private @Nullable CoreArrival first;
    private @Nullable CoreArrival last;
    private final ArrayList<CoreArrival> pool = new ArrayList<>();
    private final LeftBehind leftBehind = new LeftBehind();
    private long count;
    private long bytes;
    private long attempts;

    /** A fresh arrival, from the pool. */
    public CoreArrival arrival(MessageSource source, long tag, long length) {
        CoreArrival arrival = pool.isEmpty() ? new CoreArrival() : pool.removeLast();
        arrival.source = source;
        arrival.tag = tag;
        arrival.length = length;
        return arrival;
    }

    /** Adds a message behind all others. */
    public void add(CoreArrival arrival) {
        arrival.previous = last;
        arrival.next = null;
        if (last == null) {
            first = arrival;
        } else {
            last.next = arrival;
        }
        last = arrival;
        int bucket = TagBuckets.of(arrival.tag);
        CoreArrival bucketTail = bucketLast[bucket];
        arrival.bucketPrevious = bucketTail;
        arrival.bucketNext = null;
        if (bucketTail == null) {
            bucketFirst[bucket] = arrival;
        } else {
            bucketTail.bucketNext = arrival;
        }
        bucketLast[bucket] = arrival;
        count++;
        bytes += arrival.length;
    }

    /** The oldest message that fits, of one source or of any, left where it is; null if there is none. */
    public @Nullable CoreArrival find(@Nullable MessageSource source, long tag, long tagMask) {
        if (count == 0) {
            return null;
        }
        boolean exact = tagMask == Worker.FULL_TAG_MASK;
        CoreArrival candidate = exact ? bucketFirst[TagBuckets.of(tag)] : first;
        long looked = 1;
        while (candidate != null && (((candidate.tag ^ tag) & tagMask) != 0 || !isFrom(candidate, source))) {
            candidate = exact ? candidate.bucketNext : candidate.next;
            looked++;
        }
        attempts += candidate == null ? looked - 1 : looked;
        return candidate;
    }

    /** The oldest message that fits a receive, left where it is; null if there is none. */
    public @Nullable CoreArrival find(PostedReceive receive) {
        if (count == 0) {
            return null;
        }
        boolean exact = receive.tagMask == Worker.FULL_TAG_MASK;
        CoreArrival candidate = exact ? bucketFirst[TagBuckets.of(receive.tag)] : first;
        while (candidate != null
                && (((candidate.tag ^ receive.tag) & receive.tagMask) != 0
                        || !receive.takesFrom(Objects.requireNonNull(candidate.source)))) {
            candidate = exact ? candidate.bucketNext : candidate.next;
            attempts++;
        }
        attempts += candidate == null ? 0 : 1;
        return candidate;
    }

    /** The endpoint of a message has ended, and with it the credits that bound what waits here. */
    public void orphan(CoreArrival arrival) {
        arrival.orphan = true;
        leftBehind.add(arrival);
    }

    /** The oldest message that there is no room for, left where it is; null if there is room for all. */
    public @Nullable CoreArrival excess() {
        if (!leftBehind.isExcessive()) {
            return null;
        }
        CoreArrival arrival = first;
        while (arrival != null && !(arrival.orphan && leftBehind.isExcess(arrival))) {
            arrival = arrival.next;
        }
        return arrival;
    }

    /** Takes a message out. */
    public void remove(CoreArrival arrival) {
        CoreArrival before = arrival.previous;
        CoreArrival after = arrival.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        int bucket = TagBuckets.of(arrival.tag);
        CoreArrival bucketBefore = arrival.bucketPrevious;
        CoreArrival bucketAfter = arrival.bucketNext;
        if (bucketBefore == null) {
            bucketFirst[bucket] = bucketAfter;
        } else {
            bucketBefore.bucketNext = bucketAfter;
        }
        if (bucketAfter == null) {
            bucketLast[bucket] = bucketBefore;
        } else {
            bucketAfter.bucketPrevious = bucketBefore;
        }
        arrival.previous = null;
        arrival.next = null;
        arrival.bucketPrevious = null;
        arrival.bucketNext = null;
        if (arrival.orphan) {
            leftBehind.remove(arrival);
        }
        count--;
        bytes -= arrival.length;
    }

    /** Returns an arrival whose message is received or gone to the pool. */
    public void release(CoreArrival arrival) {
        arrival.clear();
        pool.add(arrival);
    }

    /** How many messages are here. */
    public long count() {
        return count;
    }

    /** Their length. */
    public long bytes() {
        return bytes;
    }

    /** How many messages have been compared with receives. */
    public long attempts() {
        return attempts;
    }

    /** The messages that satisfy a condition, oldest first; for teardown, not for the data path. */
    public List<CoreArrival> matching(Predicate<CoreArrival> condition) {
        List<CoreArrival> found = new ArrayList<>();
        for (CoreArrival arrival = first; arrival != null; arrival = arrival.next) {
            if (condition.test(arrival)) {
                found.add(arrival);
            }
        }
        return found;
    }

    @SuppressWarnings("ReferenceEquality") // A source is one endpoint.
    private static boolean isFrom(CoreArrival arrival, @Nullable MessageSource source) {
        return source == null ? !Objects.requireNonNull(arrival.source).isExclusive() : arrival.source == source;
    }
}
