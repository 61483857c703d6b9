package io.fairlead.internal.matching;

import io.fairlead.spi.Operation;
import org.jspecify.annotations.Nullable;

/** What matching knows of an operation that is a receive: which messages it takes, and where it waits. On the worker's thread. */
public abstract class PostedReceive extends Operation {
    /** The tag that it takes; once a message has matched, that message's. */
    public long tag;
    /** The bits of the tag that are compared. */
    public long tagMask;

    /** Position among all receives posted on the worker. */
    long sequence;

    @Nullable PostedReceive previousPosted;

    @Nullable PostedReceive nextPosted;

    @Nullable PostedList postedIn;

    /** Whether it takes messages of an endpoint. */
    protected abstract boolean takesFrom(MessageSource source);
}
