package io.fairlead.pubsub.internal;

import io.fairlead.pubsub.TopicOptions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a topic that some subscriber has not been sent: a list of chunks, oldest first, of at most
 * {@link TopicOptions#backlogBytes()}. Chunks are used again, the last freed first because the processor still has it in its caches.
 */
final class TopicLog {
    /** Free chunks of large messages that are kept; more are given back to the system. */
    private static final int FREE_LARGE_MAX = 4;

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

        /** Tells readers that wait for the next chunk that there is one. */
        void added(Chunk chunk);
    }

    private final Readers readers;
    private final int batchBytes;
    private final long backlogBytes;
    private final ArrayDeque<Chunk> freeBatches = new ArrayDeque<>();
    private final ArrayList<Chunk> freeLarge = new ArrayList<>();
    private @Nullable Chunk[] table = new Chunk[16];
    private @Nullable Chunk head;
    private @Nullable Chunk tail;
    private long retainedBytes;
    private boolean closed;
    private final SingleWriterCounter lastSequence = new SingleWriterCounter();

    TopicLog(TopicOptions options, Readers readers) {
        this.readers = readers;
        this.batchBytes = options.batchBytes();
        this.backlogBytes = options.backlogBytes();
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

    /** The chunk of that index; it must be in use. */
    Chunk chunk(int index) {
        Chunk chunk = table[index];
        if (chunk == null) {
            throw new IllegalStateException("no chunk of that index: index=" + index);
        }
        return chunk;
    }

    /**
     * Appends a message.
     *
     * @param context encoded, at most {@link #contextBytesMax()}; empty if there is none
     * @return its sequence number, or 0 if there is no room
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
        Wire.putHeader(chunk.segment, contextBytes, Wire.FRAME_LARGE, 8, sequence);
        chunk.segment.set(Wire.LONG, contextBytes + Wire.HEADER_BYTES, length);
        MemorySegment.copy(message, offset, chunk.segment, headBytes, length);
        chunk.headBytes = headBytes;
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
        Chunk chunk = large ? acquireLarge(bytes) : acquireBatch();
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

    /** Lets go of the oldest chunks that nobody will read. */
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
        if (chunk.pins == 0) {
            recycle(chunk);
        }
    }

    /** A send from the chunk has ended. */
    void unpin(Chunk chunk) {
        chunk.pins--;
        if (chunk.pins == 0 && !chunk.retained) {
            recycle(chunk);
        }
    }

    /** Whether a send is in flight from a chunk that holds a message up to this sequence number. */
    boolean isInFlight(long sequence) {
        for (Chunk chunk : table) {
            if (chunk != null && chunk.pins > 0 && chunk.firstSequence <= sequence) {
                return true;
            }
        }
        return false;
    }

    private void recycle(Chunk chunk) {
        if (!closed && !chunk.large) {
            freeBatches.push(chunk);
        } else if (!closed && freeLarge.size() < FREE_LARGE_MAX) {
            freeLarge.add(chunk);
        } else {
            drop(chunk);
        }
    }

    private void drop(Chunk chunk) {
        table[chunk.index] = null;
        chunk.free();
    }

    private Chunk acquireBatch() {
        Chunk free = freeBatches.poll();
        return free != null ? free : make(batchBytes);
    }

    private Chunk acquireLarge(long bytes) {
        for (int i = freeLarge.size() - 1; i >= 0; i--) {
            if (freeLarge.get(i).capacity >= bytes) {
                return freeLarge.remove(i);
            }
        }
        if (!freeLarge.isEmpty()) {
            // All that are kept are too small: the oldest makes room for what is asked for now.
            drop(freeLarge.removeFirst());
        }
        // A power of two, so that messages of about the same size find it again.
        return make(Math.max(64, Long.highestOneBit(bytes - 1) << 1));
    }

    private Chunk make(long capacity) {
        int index = 0;
        while (index < table.length && table[index] != null) {
            index++;
        }
        if (index == table.length) {
            table = Arrays.copyOf(table, table.length * 2);
        }
        Chunk chunk = new Chunk(index, capacity);
        table[index] = chunk;
        return chunk;
    }

    /** Frees everything but what is pinned, which goes when its sends end. No reader may be left. */
    void close() {
        closed = true;
        if (tail != null) {
            tail.sealed = true;
        }
        releaseRead();
        freeBatches.forEach(this::drop);
        freeBatches.clear();
        freeLarge.forEach(this::drop);
        freeLarge.clear();
    }
}
