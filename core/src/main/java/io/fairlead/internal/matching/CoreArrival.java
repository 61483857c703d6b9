package io.fairlead.internal.matching;

import io.fairlead.spi.Arrival;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A message on its way in. Pooled by the {@link UnexpectedQueue}; its fields are the engine's, on the worker's thread. */
public final class CoreArrival extends Arrival {
    public @Nullable MessageSource source;

    public @Nullable Operation operation;

    public long tag;
    public long length;
    /** Every byte is here, so that the message outlives its endpoint. */
    public boolean whole;
    /** The payload of a message that has outlived its endpoint; null while the transport has it. */
    public @Nullable MemorySegment kept;
    /** Its endpoint ended before the message was whole. */
    public boolean dead;

    /** What the message before it, one of a layer's own, said of it. */
    public @Nullable Object preface;
    /** It is whole, and its endpoint has ended. */
    boolean orphan;

    /** Links of all unmatched messages, in the order of their arrival. */
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
