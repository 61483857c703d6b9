package io.fairlead.internal.matching;

import io.fairlead.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one worker that have arrived before their receives; a receive takes the first one that matches. They
 * are in one list in order of arrival and also in buckets by tag. After a long search for some bits of the tag, they
 * are also in buckets by these bits, for up to {@link #MASKS_MAX} partial masks, until no message waits.
 */
public final class UnexpectedQueue {
    /** The maximum number of partial masks with buckets at a time. */
    static final int MASKS_MAX = 8;

    /** Messages compared by a search before the next search for the same bits uses buckets. */
    private static final int SEARCHED_MAX = 64;

    private final @Nullable CoreArrival[] bucketFirst = new @Nullable CoreArrival[TagBuckets.COUNT];
    private final @Nullable CoreArrival[] bucketLast = new @Nullable CoreArrival[TagBuckets.COUNT];
    private final List<MaskedMessages> masked = new ArrayList<>(MASKS_MAX);
    /** The number of masks whose buckets are filled, since a search for a mask found nothing; the others are empty. */
    private int maskedCount;

    private @Nullable CoreArrival first;
    private @Nullable CoreArrival last;
    private final ArrayList<CoreArrival> pool = new ArrayList<>();
    private final LeftBehind leftBehind = new LeftBehind();
    private long count;
    private long bytes;
    private long attempts;

    /** A new arrival, from the pool. */
    public CoreArrival arrival(MessageSource source, long tag, long length) {
        CoreArrival arrival = pool.isEmpty() ? new CoreArrival() : pool.removeLast();
        arrival.source = source;
        arrival.tag = tag;
        arrival.length = length;
        return arrival;
    }

    /** Appends a message. */
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
        for (int i = 0; i < maskedCount; i++) {
            masked.get(i).add(arrival);
        }
        count++;
        bytes += arrival.length;
    }

    /** The oldest message that matches, of one endpoint or of any, without removal; null if there is none. */
    public @Nullable CoreArrival find(@Nullable MessageSource source, long tag, long tagMask) {
        return count == 0 ? null : find(source, null, tag, tagMask);
    }

    /** The oldest message that matches a receive, without removal; null if there is none. */
    public @Nullable CoreArrival find(PostedReceive receive) {
        return count == 0 ? null : find(null, receive, receive.tag, receive.tagMask);
    }

    private @Nullable CoreArrival find(
            @Nullable MessageSource source, @Nullable PostedReceive receive, long tag, long tagMask) {
        boolean exact = tagMask == Worker.FULL_TAG_MASK;
        MaskedMessages byMask = exact ? null : byMask(tagMask);
        CoreArrival candidate = first;
        if (exact) {
            candidate = bucketFirst[TagBuckets.of(tag)];
        } else if (byMask != null) {
            candidate = byMask.first(tag);
        }
        long looked = 0;
        while (candidate != null) {
            looked++;
            if (((candidate.tag ^ tag) & tagMask) == 0
                    && (receive == null
                            ? isFrom(candidate, source)
                            : receive.takesFrom(Objects.requireNonNull(candidate.source)))) {
                break;
            }
            if (exact) {
                candidate = candidate.bucketNext;
            } else {
                candidate = byMask == null ? candidate.next : byMask.next(candidate);
            }
        }
        attempts += looked;
        if (looked > SEARCHED_MAX && !exact && byMask == null) {
            hash(tagMask);
        }
        return candidate;
    }

    private @Nullable MaskedMessages byMask(long mask) {
        for (int i = 0; i < maskedCount; i++) {
            if (masked.get(i).mask == mask) {
                return masked.get(i);
            }
        }
        return null;
    }

    /** The next search for these bits uses buckets. */
    private void hash(long mask) {
        if (maskedCount == MASKS_MAX || mask == 0) {
            return;
        }
        if (maskedCount == masked.size()) {
            masked.add(new MaskedMessages(maskedCount));
        }
        MaskedMessages fresh = masked.get(maskedCount++);
        fresh.mask = mask;
        for (CoreArrival arrival = first; arrival != null; arrival = arrival.next) {
            fresh.add(arrival);
        }
    }

    /** The endpoint of a message has ended, and with it the credits that limit the messages here. */
    public void orphan(CoreArrival arrival) {
        arrival.orphan = true;
        leftBehind.add(arrival);
    }

    /** The oldest message above the limit, without removal; null if the limit is kept. */
    public @Nullable CoreArrival excess() {
        if (!leftBehind.isExcessive()) {
            return null;
        }
        CoreArrival arrival = first;
        while (arrival != null && !arrival.orphan) {
            arrival = arrival.next;
        }
        return arrival;
    }

    /** Removes a message. */
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
        for (int i = 0; i < maskedCount; i++) {
            masked.get(i).remove(arrival);
        }
        if (arrival.orphan) {
            leftBehind.remove(arrival);
        }
        count--;
        bytes -= arrival.length;
        if (count == 0) {
            maskedCount = 0;
        }
    }

    /** Returns an arrival, whose message was received or dropped, to the pool. */
    public void release(CoreArrival arrival) {
        arrival.clear();
        pool.add(arrival);
    }

    /** The number of messages. */
    public long count() {
        return count;
    }

    /** The total length of the messages. */
    public long bytes() {
        return bytes;
    }

    /** The number of comparisons of messages with receives. */
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
