package io.fairlead.internal.matching;

/** Posted receives that compare the same bits of the tag, in buckets by these bits. */
final class PostedBuckets {
    private final PostedList[] lists = new PostedList[TagBuckets.COUNT];
    /** The bits; changes only while there are no receives. */
    long mask;
    /** How many receives there are; kept by the queue. */
    int count;

    PostedBuckets(long mask) {
        this.mask = mask;
        for (int i = 0; i < lists.length; i++) {
            lists[i] = new PostedList();
        }
    }

    /** The receives among which those are that take a tag. */
    PostedList of(long tag) {
        return lists[TagBuckets.of(tag & mask)];
    }

    PostedList[] all() {
        return lists;
    }
}
