package io.fairlead.pubsub.internal;

import org.jspecify.annotations.Nullable;

/** Where in a topic's log a subscriber is: the chunk from which it is sent to next, and which messages are behind it. */
final class LogCursor {
    private @Nullable Chunk chunk;
    private long offset;
    /** Sent or dropped. */
    private long passedSequence;

    private long dropped;

    /** Begins at the log's next message. */
    void start(TopicLog log, long nextSequence) {
        passedSequence = nextSequence - 1;
        Chunk tail = log.tail();
        if (tail != null && !tail.sealed) {
            enter(tail, tail.used);
        }
    }

    /** Reads no more. */
    void stop() {
        if (chunk != null) {
            chunk.readers--;
            chunk = null;
        }
    }

    /** The chunk that is read; null while it waits for the next one. */
    @Nullable Chunk chunk() {
        return chunk;
    }

    /** How much of the chunk has been read. */
    long offset() {
        return offset;
    }

    /** Everything in the chunk so far has been read. */
    void exhaust(Chunk current) {
        offset = current.used;
    }

    /** Takes the next chunk if it waits for one. */
    void added(Chunk next) {
        if (chunk == null) {
            enter(next, 0);
        }
    }

    private void enter(Chunk next, long at) {
        next.readers++;
        chunk = next;
        offset = at;
    }

    /** Goes on to the chunk after, or waits for it. */
    void leave(Chunk current) {
        current.readers--;
        chunk = null;
        if (current.next != null) {
            enter(current.next, 0);
        }
    }

    /** The last message that was sent or dropped. */
    long passedSequence() {
        return passedSequence;
    }

    /** Messages up to this one were sent. */
    void passTo(long sequence) {
        passedSequence = sequence;
    }

    /** Messages up to this one are dropped; answers how many. */
    long dropTo(long sequence) {
        long count = sequence - passedSequence;
        dropped += count;
        passedSequence = sequence;
        return count;
    }

    /** How many messages were dropped. */
    long dropped() {
        return dropped;
    }
}
