package io.fairlead.internal.matching;

import org.jspecify.annotations.Nullable;

/**
 * The unmatched messages in buckets by some bits of their tags, for receives and probes that compare these bits. Each
 * bucket has its oldest message first.
 */
final class MaskedMessages {
    private final int slot;
    private final @Nullable CoreArrival[] first = new @Nullable CoreArrival[TagBuckets.COUNT];
    private final @Nullable CoreArrival[] last = new @Nullable CoreArrival[TagBuckets.COUNT];
    /** The bits; changes only while there are no messages. */
    long mask;

    /**
     * Creates it empty.
     *
     * @param slot the index of this object's links in a message, from 0 to {@link UnexpectedQueue#MASKS_MAX} - 1
     */
    MaskedMessages(int slot) {
        this.slot = slot;
    }

    void add(CoreArrival arrival) {
        @Nullable CoreArrival[] links = links(arrival);
        int bucket = bucket(arrival.tag);
        CoreArrival tail = last[bucket];
        links[2 * slot] = tail;
        links[2 * slot + 1] = null;
        if (tail == null) {
            first[bucket] = arrival;
        } else {
            links(tail)[2 * slot + 1] = arrival;
        }
        last[bucket] = arrival;
    }

    void remove(CoreArrival arrival) {
        @Nullable CoreArrival[] links = links(arrival);
        int bucket = bucket(arrival.tag);
        CoreArrival before = links[2 * slot];
        CoreArrival after = links[2 * slot + 1];
        if (before == null) {
            first[bucket] = after;
        } else {
            links(before)[2 * slot + 1] = after;
        }
        if (after == null) {
            last[bucket] = before;
        } else {
            links(after)[2 * slot] = before;
        }
        links[2 * slot] = null;
        links[2 * slot + 1] = null;
    }

    /** The oldest message of the bucket of these bits. */
    @Nullable CoreArrival first(long tag) {
        return first[bucket(tag)];
    }

    /** The next message of the bucket; null after the last. */
    @Nullable CoreArrival next(CoreArrival arrival) {
        return links(arrival)[2 * slot + 1];
    }

    private int bucket(long tag) {
        return TagBuckets.of(tag & mask);
    }

    /** The previous and next message, for each slot; created on demand, and kept with the pooled message. */
    private static @Nullable CoreArrival[] links(CoreArrival arrival) {
        @Nullable CoreArrival[] links = arrival.maskedLinks;
        if (links == null) {
            links = new @Nullable CoreArrival[2 * UnexpectedQueue.MASKS_MAX];
            arrival.maskedLinks = links;
        }
        return links;
    }
}
