package io.fairlead.internal.matching;

/** Posted receives that compare the same bits of the tag, in buckets by these bits. */
final class PostedBuckets {
    private final PostedList[] lists = new PostedList[TagBuckets.COUNT];
    /** The bits; changes only while there are no receives. */
    long mask;
    /** The number of receives; kept by the queue. */
    int count;

    PostedBuckets(long mask) {
        this.mask = mask;
        for (int i = 0; i < lists.length; i++) {
            lists[i] = new PostedList();
        }
    }

    /** The bucket with the receives that may match a tag. */
    PostedList of(long tag) {
        return lists[TagBuckets.of(tag & mask)];
    }

    PostedList[] all() {
        return lists;
    }
}
