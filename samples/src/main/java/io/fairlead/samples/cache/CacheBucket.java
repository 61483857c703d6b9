package io.fairlead.samples.cache;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Eight slots beside each other, all the places where a key can be, so that one get finds it. */
record CacheBucket(MemorySegment memory) {
    static final int SLOTS = 8;
    static final int BYTES = SLOTS * CacheSlot.BYTES;

    /** The offset of a key's bucket in a table of that many bytes. */
    static long offset(byte[] key, long tableBytes) {
        CRC32C hash = new CRC32C();
        hash.update(key);
        return hash.getValue() % (tableBytes / BYTES) * BYTES;
    }

    /** Whether a get saw a write half done. */
    boolean torn() {
        return slots().anyMatch(slot -> !slot.empty() && !slot.whole());
    }

    /** The slot of a key, in a bucket that is not torn. */
    Optional<CacheSlot> slot(byte[] key) {
        return slots().filter(slot -> !slot.empty() && slot.holds(key)).findFirst();
    }

    /** A slot that was never used. */
    Optional<CacheSlot> emptySlot() {
        return slots().filter(CacheSlot::empty).findFirst();
    }

    private Stream<CacheSlot> slots() {
        return IntStream.range(0, SLOTS)
                .mapToObj(i -> new CacheSlot(memory.asSlice((long) i * CacheSlot.BYTES, CacheSlot.BYTES)));
    }
}
