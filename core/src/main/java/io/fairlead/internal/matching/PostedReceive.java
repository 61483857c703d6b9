package io.fairlead.internal.matching;

import io.fairlead.spi.Operation;
import org.jspecify.annotations.Nullable;

/** Matching's part of a receive: the messages that it matches, and its queue position. On the worker's thread. */
public abstract class PostedReceive extends Operation {
    /** The tag of the receive; after a match, the tag of the message. */
    public long tag;
    /** The bits of the tag that are compared. */
    public long tagMask;

    /** Position among all receives posted on the worker. */
    long sequence;

    @Nullable PostedReceive previousPosted;

    @Nullable PostedReceive nextPosted;

    @Nullable PostedList postedIn;

    /** Whether it matches messages of an endpoint. */
    protected abstract boolean takesFrom(MessageSource source);
}
