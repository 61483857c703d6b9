package io.fairlead.internal.matching;

import io.fairlead.spi.Arrival;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An incoming message. Pooled by the {@link UnexpectedQueue}. Its fields belong to the engine, on the worker's thread.
 */
public final class CoreArrival extends Arrival {
    public @Nullable MessageSource source;

    public @Nullable Operation operation;

    public long tag;
    public long length;
    /** Every byte has arrived, so the message survives its endpoint. */
    public boolean whole;
    /** The payload of a message that has survived its endpoint; null while the transport has it. */
    public @Nullable MemorySegment kept;
    /** Its endpoint ended before the message was complete. */
    public boolean dead;

    /** The result of the header message before it, if there was one. */
    public @Nullable Object preface;
    /** It is complete, and its endpoint has ended. */
    boolean orphan;

    /** Links of all unmatched messages, in order of arrival. */
    @Nullable CoreArrival previous;

    @Nullable CoreArrival next;
    /** Links of the unmatched messages whose tags share a bucket. */
    @Nullable CoreArrival bucketPrevious;

    @Nullable CoreArrival bucketNext;
    /** Links of the unmatched messages that share a bucket of {@link MaskedMessages}. */
    @Nullable CoreArrival @Nullable [] maskedLinks;

    void clear() {
        source = null;
        operation = null;
        attachment = null;
        preface = null;
        kept = null;
        word = 0;
        orphan = false;
        whole = false;
        dead = false;
    }

    @Override
    public @Nullable Operation operation() {
        return operation;
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public void markWhole() {
        whole = true;
    }
}
