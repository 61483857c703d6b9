package io.fairlead.internal.matching;

/** Hashes tags to buckets, so thousands of outstanding tags need no search. */
final class TagBuckets {
    static final int COUNT = 256;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private TagBuckets() {}

    static int of(long tag) {
        return (int) ((tag * SPREAD) >>> 56);
    }
}
