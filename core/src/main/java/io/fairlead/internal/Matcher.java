package io.fairlead.internal;

import io.fairlead.statistics.Counter;
import io.fairlead.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Brings receives and messages of one worker together: the first posted receive that fits a message, the first arrived message
 * that fits a receive.
 *
 * <p>Receives that compare the whole tag, and all messages, hang in buckets by tag, so that thousands of outstanding
 * tags cost no search; receives with a partial mask hang in one list of their own. Sequence numbers decide between the two.
 */
final class Matcher {
    private static final int BUCKETS = 256;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /** Posted receives, oldest first. */
    static final class PostedList {
        @Nullable CoreOperation first;

        private @Nullable CoreOperation last;

        private void append(CoreOperation receive) {
            receive.postedIn = this;
            receive.postedPrevious = last;
            receive.postedNext = null;
            if (last == null) {
                first = receive;
            } else {
                last.postedNext = receive;
            }
            last = receive;
        }

        private void remove(CoreOperation receive) {
            CoreOperation before = receive.postedPrevious;
            CoreOperation after = receive.postedNext;
            if (before == null) {
                first = after;
            } else {
                before.postedNext = after;
            }
            if (after == null) {
                last = before;
            } else {
                after.postedPrevious = before;
            }
            receive.postedIn = null;
            receive.postedPrevious = null;
            receive.postedNext = null;
        }
    }

    private final PostedList[] exact = new PostedList[BUCKETS];
    private final PostedList masked = new PostedList();
    private final CoreArrival[] bucketFirst = new CoreArrival[BUCKETS];
    private final CoreArrival[] bucketLast = new CoreArrival[BUCKETS];
    private @Nullable CoreArrival first;
    private @Nullable CoreArrival last;
    private final ArrayList<CoreArrival> pool = new ArrayList<>();
    private long nextSequence;
    private long unmatched;
    private long unmatchedBytes;
    private long posted;
    private long postedBytes;
    private long attempts;

    Matcher() {
        for (int i = 0; i < BUCKETS; i++) {
            exact[i] = new PostedList();
        }
    }

    /** Adds a receive behind all others. */
    void post(CoreOperation receive) {
        receive.sequence = nextSequence++;
        PostedList list = receive.tagMask == Worker.FULL_TAG_MASK ? exact[bucket(receive.tag)] : masked;
        list.append(receive);
        posted++;
        postedBytes += receive.length();
    }

    /** Whether any receive is posted here. */
    boolean anyPosted() {
        return posted > 0;
    }

    /** Takes a receive out; false if a message has matched it already. */
    boolean withdraw(CoreOperation receive) {
        PostedList list = receive.postedIn;
        if (list == null) {
            return false;
        }
        list.remove(receive);
        posted--;
        postedBytes -= receive.length();
        return true;
    }

    /** The oldest receive that fits a message, taken out; null if there is none. */
    @Nullable CoreOperation match(CoreEndpoint endpoint, long tag) {
        CoreOperation byTag = exact[bucket(tag)].first;
        long looked = 0;
        while (byTag != null && (byTag.tag != tag || !accepts(byTag, endpoint))) {
            byTag = byTag.postedNext;
            looked++;
        }
        CoreOperation byMask = masked.first;
        while (byMask != null && (((byMask.tag ^ tag) & byMask.tagMask) != 0 || !accepts(byMask, endpoint))) {
            byMask = byMask.postedNext;
            looked++;
        }
        attempts += looked + (byTag == null ? 0 : 1) + (byMask == null ? 0 : 1);
        CoreOperation oldest = byTag;
        if (byTag == null || (byMask != null && byMask.sequence < byTag.sequence)) {
            oldest = byMask;
        }
        if (oldest != null) {
            withdraw(oldest);
        }
        return oldest;
    }

    /** A fresh arrival, from the pool. */
    CoreArrival arrival(CoreEndpoint endpoint, long tag, long length) {
        CoreArrival arrival = pool.isEmpty() ? new CoreArrival() : pool.removeLast();
        arrival.endpoint = endpoint;
        arrival.tag = tag;
        arrival.length = length;
        return arrival;
    }

    /** Keeps a message for a later receive. */
    void keep(CoreArrival arrival) {
        arrival.previous = last;
        arrival.next = null;
        if (last == null) {
            first = arrival;
        } else {
            last.next = arrival;
        }
        last = arrival;
        int bucket = bucket(arrival.tag);
        CoreArrival bucketTail = bucketLast[bucket];
        arrival.bucketPrevious = bucketTail;
        arrival.bucketNext = null;
        if (bucketTail == null) {
            bucketFirst[bucket] = arrival;
        } else {
            bucketTail.bucketNext = arrival;
        }
        bucketLast[bucket] = arrival;
        unmatched++;
        unmatchedBytes += arrival.length;
    }

    /** The oldest kept message that fits, left where it is; null if there is none. */
    @Nullable CoreArrival find(@Nullable CoreEndpoint endpoint, long tag, long tagMask) {
        if (unmatched == 0) {
            return null;
        }
        if (tagMask == Worker.FULL_TAG_MASK) {
            CoreArrival candidate = bucketFirst[bucket(tag)];
            long looked = 1;
            while (candidate != null && (candidate.tag != tag || !isFrom(candidate, endpoint))) {
                candidate = candidate.bucketNext;
                looked++;
            }
            attempts += candidate == null ? looked - 1 : looked;
            return candidate;
        }
        CoreArrival candidate = first;
        long looked = 1;
        while (candidate != null && (((candidate.tag ^ tag) & tagMask) != 0 || !isFrom(candidate, endpoint))) {
            candidate = candidate.next;
            looked++;
        }
        attempts += candidate == null ? looked - 1 : looked;
        return candidate;
    }

    /** Takes a kept message out of matching. */
    void remove(CoreArrival arrival) {
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
        int bucket = bucket(arrival.tag);
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
        unmatched--;
        unmatchedBytes -= arrival.length;
    }

    /** Returns an arrival whose message is received or gone to the pool. */
    void release(CoreArrival arrival) {
        arrival.clear();
        pool.add(arrival);
    }

    /** Messages kept now. */
    long unmatched() {
        return unmatched;
    }

    /** Receives that are posted now. */
    long posted() {
        return posted;
    }

    /** The room in their buffers. */
    long postedBytes() {
        return postedBytes;
    }

    /** Shows what waits and what matching has cost, for readers of the statistics. */
    void publish(WorkerStatistics statistics) {
        statistics.set(Counter.UNEXPECTED_BYTES, unmatchedBytes);
        statistics.set(Counter.MATCH_ATTEMPTS, attempts);
    }

    /** The kept messages that satisfy a condition, oldest first; for teardown, not for the data path. */
    List<CoreArrival> kept(Predicate<CoreArrival> condition) {
        List<CoreArrival> found = new ArrayList<>();
        for (CoreArrival arrival = first; arrival != null; arrival = arrival.next) {
            if (condition.test(arrival)) {
                found.add(arrival);
            }
        }
        return found;
    }

    /** The posted receives that satisfy a condition; for teardown, not for the data path. */
    List<CoreOperation> posted(Predicate<CoreOperation> condition) {
        List<CoreOperation> found = new ArrayList<>();
        for (PostedList list : exact) {
            collect(list, condition, found);
        }
        collect(masked, condition, found);
        found.sort((a, b) -> Long.compare(a.sequence, b.sequence));
        return found;
    }

    private static void collect(PostedList list, Predicate<CoreOperation> condition, List<CoreOperation> found) {
        for (CoreOperation receive = list.first; receive != null; receive = receive.postedNext) {
            if (condition.test(receive)) {
                found.add(receive);
            }
        }
    }

    private static boolean accepts(CoreOperation receive, CoreEndpoint endpoint) {
        return receive.endpoint == null || receive.endpoint == endpoint;
    }

    private static boolean isFrom(CoreArrival arrival, @Nullable CoreEndpoint endpoint) {
        return endpoint == null || arrival.endpoint == endpoint;
    }

    private static int bucket(long tag) {
        return (int) ((tag * SPREAD) >>> 56);
    }
}
