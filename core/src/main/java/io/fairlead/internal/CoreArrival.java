package io.fairlead.internal;

import io.fairlead.spi.Arrival;
import io.fairlead.spi.Operation;
import org.jspecify.annotations.Nullable;

/** A message on its way in. Pooled by the {@link Matcher}; its fields are the engine's, on the worker's thread. */
final class CoreArrival extends Arrival {
    @Nullable CoreEndpoint endpoint;

    @Nullable CoreOperation operation;

    long tag;
    long length;
    /** Every byte is here, so that the message outlives its endpoint. */
    boolean whole;
    /** Claimed by the application and out of matching. */
    boolean claimed;
    /** Its endpoint ended before the message was whole. */
    boolean dead;

    /** Links of all unmatched messages, in the order of their arrival. */
    @Nullable CoreArrival previous;

    @Nullable CoreArrival next;
    /** Links of the unmatched messages whose tags share a bucket. */
    @Nullable CoreArrival bucketPrevious;

    @Nullable CoreArrival bucketNext;

    void clear() {
        endpoint = null;
        operation = null;
        attachment = null;
        word = 0;
        whole = false;
        claimed = false;
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
    public void whole() {
        whole = true;
    }
}
