package io.fairlead.pubsub.internal;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.pubsub.SnapshotOptions;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A topic's last values or messages in a memory region that subscribers read by one-sided get while the publisher goes on writing.
 *
 * <p>Why readers need no lock: a subscriber starts to read when it knows the sequence number at which its stream starts. So what overwrites an
 * entry while it reads is a message that its stream will bring. Of last values it leaves such an entry out and misses nothing,
 * as the key's newer value follows. Of last messages the overwritten one is lost to it, and the entries around it may have been read before
 * or after that. The oldest are overwritten first, so the subscriber takes only the run of messages that ends where its stream begins.
 */
final class SnapshotTable implements AutoCloseable {
    private static final VarHandle VERSION = Wire.LONG.varHandle();

    private final SnapshotOptions options;
    private final long entryBytes;
    private final TopicRegion memory;
    private final MemorySegment segment;
    private final @Nullable KeyIndex index;

    SnapshotTable(TopicRegion memory, SnapshotOptions options, long epoch) {
        this.options = options;
        this.entryBytes = SnapshotLayout.entryBytes(options.valueMax());
        this.memory = memory;
        this.segment = memory.segment();
        this.index = options.kind() == SnapshotOptions.Kind.LAST_VALUES ? new KeyIndex(options.entries()) : null;
        segment.set(Wire.LONG, SnapshotLayout.EPOCH_AT, epoch);
        VERSION.setRelease(segment, 0L, SnapshotLayout.MARK);
    }

    /** Makes a table in memory of its own. */
    static SnapshotTable in(Context context, String topic, SnapshotOptions options, long epoch) {
        TopicRegion memory = TopicRegion.allocate(context, topic, SnapshotLayout.totalBytes(options));
        try {
            checkKey(memory.keyBytes());
        } catch (FairleadException tooLong) {
            memory.close();
            throw tooLong;
        }
        return new SnapshotTable(memory, options, epoch);
    }

    SnapshotOptions options() {
        return options;
    }

    /**
     * The key for a subscriber.
     *
     * @throws FairleadException if it may not have one, or the path cannot give it one
     */
    byte[] packedKey(Endpoint subscriber) {
        byte[] key = memory.packedKey(subscriber);
        checkKey(key.length);
        return key;
    }

    private static void checkKey(int length) {
        if (length > JoinReply.KEY_BYTES_MAX) {
            throw new FairleadException(
                    Reason.UNSUPPORTED,
                    "packed key of the snapshot is too long: length=" + length + ", limit=" + JoinReply.KEY_BYTES_MAX
                            + " bytes; use fewer transports");
        }
    }

    /** Whether messages need a key. */
    boolean keyed() {
        return index != null;
    }

    /** Keeps a message; the length has been checked. */
    void store(long key, long sequence, MemorySegment message, long offset, long length) {
        int entry = index != null ? index.place(key) : SnapshotLayout.entryOf(options, sequence);
        long at = SnapshotLayout.HEADER_BYTES + entry * entryBytes;
        // Even, also where the version before is odd because its message could not be read to the end.
        long version = (segment.get(Wire.LONG, at) & -2L) + 2;
        // Odd before the first byte changes, even after the last has, so that readers reject what is between.
        VERSION.setOpaque(segment, at, version - 1);
        VarHandle.storeStoreFence();
        segment.set(Wire.LONG, at + SnapshotLayout.KEY_AT, key);
        segment.set(Wire.LONG, at + SnapshotLayout.SEQUENCE_AT, sequence);
        segment.set(Wire.LONG, at + SnapshotLayout.LENGTH_AT, length);
        long valueAt = at + SnapshotLayout.VALUE_AT;
        if ((length & 7) != 0) {
            segment.set(Wire.LONG, valueAt + (length & -8L), 0);
        }
        MemorySegment.copy(message, offset, segment, valueAt, length);
        segment.set(Wire.LONG, at + SnapshotLayout.CHECKSUM_AT, SnapshotLayout.checksum(segment, at, version, length));
        VERSION.setRelease(segment, at, version);
    }

    /** Revokes the key and frees the region. */
    @Override
    public void close() {
        memory.close();
    }
}
