package io.fairlead.samples.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slots and buckets as a one-sided get may find them. */
@Timeout(60)
final class CacheSlotTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(CacheBucket.BYTES, Long.BYTES);
    private final CacheBucket bucket = new CacheBucket(memory);
    private final CacheSlot slot = new CacheSlot(memory.asSlice(0, CacheSlot.BYTES));

    @Test
    void shouldFindWhatWasWritten() {
        slot.write(bytes("key"), bytes("value"));
        assertTrue(slot.whole());
        assertArrayEquals(
                bytes("value"), bucket.slot(bytes("key")).orElseThrow().value());
        assertTrue(bucket.slot(bytes("kex")).isEmpty());
        assertTrue(bucket.slot(bytes("ke")).isEmpty());
        slot.write(bytes("key"), bytes(""));
        assertArrayEquals(bytes(""), bucket.slot(bytes("key")).orElseThrow().value());
    }

    @Test
    void shouldTakeEntriesThatFillASlot() {
        byte[] value = new byte[CacheSlot.DATA_MAX - 1];
        slot.write(bytes("k"), value);
        assertTrue(slot.whole());
        assertArrayEquals(value, bucket.slot(bytes("k")).orElseThrow().value());
    }

    @Test
    void shouldSeeEveryChangedByteAsTorn() {
        slot.write(bytes("key"), bytes("value"));
        int used = 24 + "keyvalue".length();
        for (int i = 0; i < used; i++) {
            // The bytes from 20 to 23 are the upper half of the checksum, which is 0.
            byte before = memory.get(ValueLayout.JAVA_BYTE, i);
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (before ^ 1));
            assertFalse(slot.whole(), "changed byte " + i);
            assertTrue(bucket.torn());
            memory.set(ValueLayout.JAVA_BYTE, i, before);
        }
        assertFalse(bucket.torn());
    }

    @Test
    void shouldSeeAnyMixtureOfTwoVersionsAsTorn() {
        slot.write(bytes("key"), bytes("old value"));
        byte[] old = memory.asSlice(0, CacheSlot.BYTES).toArray(ValueLayout.JAVA_BYTE);
        slot.write(bytes("key"), bytes("new value"));
        for (int cut = 1; cut < 24 + "keynew".length(); cut++) {
            MemorySegment mixed =
                    Arena.ofAuto().allocate(CacheSlot.BYTES, Long.BYTES).copyFrom(memory.asSlice(0, CacheSlot.BYTES));
            MemorySegment.copy(old, 0, mixed, ValueLayout.JAVA_BYTE, 0, cut);
            assertFalse(new CacheSlot(mixed).whole(), "old up to byte " + cut);
        }
    }

    @Test
    void shouldOfferEverySlotOfABucketOnce() {
        for (int i = 0; i < CacheBucket.SLOTS; i++) {
            bucket.emptySlot().orElseThrow().write(bytes("key-" + i), bytes("value-" + i));
        }
        assertTrue(bucket.emptySlot().isEmpty());
        for (int i = 0; i < CacheBucket.SLOTS; i++) {
            assertArrayEquals(
                    bytes("value-" + i),
                    bucket.slot(bytes("key-" + i)).orElseThrow().value());
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
