package io.fairlead.internal.matching;

import org.jspecify.annotations.Nullable;

/** The waiting messages in buckets by some bits of their tags, for those who compare these bits. In each bucket the oldest is first. */
final class MaskedMessages {
    private final int slot;
    private final @Nullable CoreArrival[] first = new @Nullable CoreArrival[TagBuckets.COUNT];
    private final @Nullable CoreArrival[] last = new @Nullable CoreArrival[TagBuckets.COUNT];
    /** The bits; changes only while there are no messages. */
    long mask;

    /**
     * Makes it empty.
     *
     * @param slot which of the links of a message are this object's, from 0 to {@link UnexpectedQueue#MASKS_MAX} - 1
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

    /** The oldest message of those among which are all with these bits. */
    @Nullable CoreArrival first(long tag) {
        return first[bucket(tag)];
    }

    /** The next one of these; null behind the last. */
    @Nullable CoreArrival next(CoreArrival arrival) {
        return links(arrival)[2 * slot + 1];
    }

    private int bucket(long tag) {
        return TagBuckets.of(tag & mask);
    }

    /** Before and behind the message, for each slot; made when it is first needed, and kept with the pooled message. */
    private static @Nullable CoreArrival[] links(CoreArrival arrival) {
        @Nullable CoreArrival[] links = arrival.maskedLinks;
        if (links == null) {
            links = new @Nullable CoreArrival[2 * UnexpectedQueue.MASKS_MAX];
            arrival.maskedLinks = links;
        }
        return links;
    }
}
