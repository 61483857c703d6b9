package io.fairlead.pubsub.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A number that one thread writes and any thread reads whole, at the price of a plain store. */
final class SingleWriterCounter {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(SingleWriterCounter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long value;

    /** The owner's thread only. */
    void add(long count) {
        VALUE.setOpaque(this, value + count);
    }

    /** The owner's thread only. */
    void set(long newValue) {
        VALUE.setOpaque(this, newValue);
    }

    long value() {
        return (long) VALUE.getOpaque(this);
    }
}
