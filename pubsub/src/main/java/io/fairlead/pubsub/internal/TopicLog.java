package io.fairlead.pubsub.internal;

import io.fairlead.pubsub.TopicOptions;
import io.fairlead.spi.CloseSteps;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a topic that some subscriber has not been sent: a list of chunks, oldest first, of at most
 * {@link TopicOptions#backlogBytes()}.
 */
final class TopicLog {
    /** The topic's side: the senders that read the log. */
    interface Readers {
        /** Sends what can be sent, so that readers leave chunks that they are done with. */
        void flush();

        /**
         * Makes the readers of the oldest chunk leave it, by the topic's policy.
         *
         * @return false if they may stay
         */
        boolean relieve(Chunk oldest);

        /** Notifies readers that wait for the next chunk. */
        void added(Chunk chunk);

        /** Warns the operator of reduced performance. */
        void warn(String message);
    }

    private final Readers readers;
    private final int batchBytes;
    private final long backlogBytes;
    private final ChunkPool pool;
    private @Nullable Chunk head;
    private @Nullable Chunk tail;
    private long retainedBytes;
    private final SingleWriterCounter lastSequence = new SingleWriterCounter();

    TopicLog(TopicOptions options, Readers readers) {
        this.readers = readers;
        this.batchBytes = options.batchBytes();
        this.backlogBytes = options.backlogBytes();
        this.pool = new ChunkPool(batchBytes, readers::warn);
    }

    /** The last sequence number that was given out. */
    long lastSequence() {
        return lastSequence.value();
    }

    long retainedBytes() {
        return retainedBytes;
    }

    /** The newest chunk; null if there is none. */
    @Nullable Chunk tail() {
        return tail;
    }

    ChunkPool pool() {
        return pool;
    }

    /**
     * Appends a message.
     *
     * @param context encoded, at most {@link #contextBytesMax()}; empty if there is none
     * @return its sequence number, or 0 if the log is full
     */
    long append(MemorySegment message, long offset, long length, byte[] context) {
        long contextBytes = context.length == 0 ? 0 : Wire.frameBytes(context.length);
        long frameBytes = contextBytes + Wire.frameBytes(length);
        if (frameBytes > batchBytes) {
            return appendLarge(message, offset, length, context, contextBytes);
        }
        Chunk chunk = tail;
        if (chunk == null || chunk.sealed || chunk.used + frameBytes > batchBytes) {
            chunk = roll(batchBytes, false);
            if (chunk == null) {
                return 0;
            }
        }
        long sequence = lastSequence.value() + 1;
        putContext(chunk, chunk.used, context, sequence);
        long at = chunk.used + contextBytes;
        if (chunk.firstSequence == 0) {
            chunk.firstSequence = sequence;
        }
        Wire.putHeader(chunk.segment, at, Wire.FRAME_DATA, (int) length, sequence);
        MemorySegment.copy(message, offset, chunk.segment, at + Wire.HEADER_BYTES, length);
        chunk.used += frameBytes;
        chunk.lastSequence = sequence;
        lastSequence.set(sequence);
        return sequence;
    }

    /** The longest context that still fits a batch together with the frame of a large message. */
    int contextBytesMax() {
        return batchBytes - Wire.LARGE_FRAME_BYTES - Wire.HEADER_BYTES;
    }

    private static void putContext(Chunk chunk, long at, byte[] context, long sequence) {
        if (context.length > 0) {
            Wire.putHeader(chunk.segment, at, Wire.FRAME_CONTEXT, context.length, sequence);
            Wire.putBytes(chunk.segment, at + Wire.HEADER_BYTES, context);
        }
    }

    private long appendLarge(MemorySegment message, long offset, long length, byte[] context, long contextBytes) {
        long headBytes = contextBytes + Wire.LARGE_FRAME_BYTES;
        Chunk chunk = roll(headBytes + Wire.aligned(length), true);
        if (chunk == null) {
            return 0;
        }
        // Nothing more is appended to it, and until it holds the message, which may turn out to be unreadable, it holds
        // none.
        chunk.sealed = true;
        chunk.lastSequence = lastSequence.value();
        long sequence = lastSequence.value() + 1;
        putContext(chunk, 0, context, sequence);
        Wire.putHeader(chunk.segment, contextBytes, Wire.FRAME_LARGE, Long.BYTES, sequence);
        chunk.segment.set(Wire.LONG, contextBytes + Wire.HEADER_BYTES, length);
        MemorySegment.copy(message, offset, chunk.segment, headBytes, length);
        chunk.firstSequence = sequence;
        chunk.used = headBytes + length;
        chunk.lastSequence = sequence;
        lastSequence.set(sequence);
        return sequence;
    }

    private @Nullable Chunk roll(long bytes, boolean large) {
        if (tail != null) {
            tail.sealed = true;
        }
        readers.flush();
        if (!makeRoom(bytes)) {
            return null;
        }
        Chunk chunk = large ? pool.acquireLarge(bytes) : pool.acquireBatch();
        chunk.reset(bytes, large);
        retainedBytes += bytes;
        if (tail == null) {
            head = chunk;
        } else {
            tail.next = chunk;
        }
        tail = chunk;
        readers.added(chunk);
        return chunk;
    }

    private boolean makeRoom(long bytes) {
        releaseRead();
        while (retainedBytes + bytes > backlogBytes && head != null) {
            if (!readers.relieve(head)) {
                return false;
            }
            releaseRead();
        }
        return true;
    }

    /** Releases the oldest chunks that no reader needs. */
    private void releaseRead() {
        while (head != null && head.sealed && head.readers == 0) {
            release(head);
        }
    }

    private void release(Chunk chunk) {
        head = chunk.next;
        if (head == null) {
            tail = null;
        }
        chunk.next = null;
        chunk.retained = false;
        retainedBytes -= chunk.charge;
        recycleUnused(chunk);
    }

    private void recycleUnused(Chunk chunk) {
        if (chunk.isUnused()) {
            pool.recycle(chunk);
        }
    }

    /** A send from the chunk has ended. */
    void unpin(Chunk chunk) {
        chunk.pins--;
        recycleUnused(chunk);
    }

    /** A subscriber has read what it was to read in the chunk, or has gone. */
    void endView(Chunk chunk) {
        chunk.views--;
        recycleUnused(chunk);
    }

    /** Whether a send is in flight of a message up to this sequence number. */
    boolean isInFlight(long sequence) {
        return pool.isInFlight(sequence);
    }

    /** Frees everything but what is pinned, which goes when its sends end. No reader may be left. */
    void close() {
        if (tail != null) {
            tail.sealed = true;
        }
        CloseSteps.runAll(this::releaseRead, pool::close);
    }
}
