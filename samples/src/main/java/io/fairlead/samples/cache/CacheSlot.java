package io.fairlead.samples.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * One slot of the cache's memory: 256 bytes with a version, two lengths, a checksum, a key and a value.
 *
 * <p>The version is odd while the server writes. A one-sided get can still see half of a write, because nothing orders it against the
 * server's processor. The checksum, which covers the version too, detects that, and the client reads again.
 */
record CacheSlot(MemorySegment memory) {
    static final int BYTES = 256;
    static final int DATA_MAX = 232;

    private static final VarHandle VERSION = ValueLayout.JAVA_LONG.varHandle();
    private static final long KEY_LENGTH = 8;
    private static final long VALUE_LENGTH = 12;
    private static final long CHECKSUM = 16;
    private static final long DATA = 24;

    /** Whether nothing was ever written here. */
    boolean empty() {
        return version() == 0;
    }

    /** Whether what can be read here is whole. */
    boolean whole() {
        int keyLength = length(KEY_LENGTH);
        int valueLength = length(VALUE_LENGTH);
        return version() % 2 == 0
                && keyLength >= 0
                && valueLength >= 0
                && keyLength <= DATA_MAX - valueLength
                && memory.get(ValueLayout.JAVA_LONG, CHECKSUM) == checksum(version(), keyLength, valueLength);
    }

    /** Whether a whole slot is that of a key. */
    boolean holds(byte[] key) {
        return length(KEY_LENGTH) == key.length
                && memory.asSlice(DATA, key.length).mismatch(MemorySegment.ofArray(key)) < 0;
    }

    /** A copy of the value in a whole slot. */
    byte[] value() {
        return memory.asSlice(DATA + length(KEY_LENGTH), length(VALUE_LENGTH)).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Replaces the content; one thread at a time, of the server. */
    void write(byte[] key, byte[] value) {
        long next = version() + 2;
        VERSION.setVolatile(memory, 0L, next - 1);
        memory.set(ValueLayout.JAVA_INT, KEY_LENGTH, key.length);
        memory.set(ValueLayout.JAVA_INT, VALUE_LENGTH, value.length);
        MemorySegment.copy(key, 0, memory, ValueLayout.JAVA_BYTE, DATA, key.length);
        MemorySegment.copy(value, 0, memory, ValueLayout.JAVA_BYTE, DATA + key.length, value.length);
        memory.set(ValueLayout.JAVA_LONG, CHECKSUM, checksum(next, key.length, value.length));
        VERSION.setVolatile(memory, 0L, next);
    }

    private long version() {
        return (long) VERSION.getVolatile(memory, 0L);
    }

    private int length(long offset) {
        return memory.get(ValueLayout.JAVA_INT, offset);
    }

    private long checksum(long version, int keyLength, int valueLength) {
        CRC32C checksum = new CRC32C();
        checksum.update(ByteBuffer.allocate(16)
                .putLong(version)
                .putInt(keyLength)
                .putInt(valueLength)
                .flip());
        checksum.update(memory.asSlice(DATA, keyLength + valueLength).asByteBuffer());
        return checksum.getValue();
    }
}
