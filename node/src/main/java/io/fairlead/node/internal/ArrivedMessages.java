package io.fairlead.node.internal;

import io.fairlead.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * The messages that no receive has matched yet, in the order of their arrival. Belongs to a loop's thread.
 *
 * <p>The credits of each endpoint bound what waits here, as long as the endpoint lives. What a peer leaves behind when its
 * endpoint ends is bounded here: beyond {@link #ORPHANS_MAX_BYTES} the oldest of those are given up.
 */
final class ArrivedMessages {
    static final long ORPHANS_MAX_BYTES = 16L << 20;

    /** What a message costs beside its payload, about. */
    private static final long MESSAGE_COST = 64;
    /** A longer message than this has not arrived whole, but waits at its sender; it costs no payload here. */
    private static final long EAGER_MAX = 1 << 20;

    private @Nullable ArrivedMessage first;
    private @Nullable ArrivedMessage last;
    private long orphanBytes;
    private int size;

    int size() {
        return size;
    }

    /** Adds a message; one that was here before returns to its place. */
    void add(ArrivedMessage message) {
        ArrivedMessage before = last;
        while (before != null && before.sequence > message.sequence) {
            before = before.previous;
        }
        ArrivedMessage after = before == null ? first : before.next;
        message.previous = before;
        message.next = after;
        if (before == null) {
            first = message;
        } else {
            before.next = message;
        }
        if (after == null) {
            last = message;
        } else {
            after.previous = message;
        }
        size++;
        if (message.orphan) {
            orphanBytes += cost(message);
        }
    }

    /** The earliest message that a receive accepts; it stays here. */
    @Nullable ArrivedMessage find(NodeReceive receive) {
        for (ArrivedMessage message = first; message != null; message = message.next) {
            if (receive.accepts(message.source, message.tag)) {
                return message;
            }
        }
        return null;
    }

    void remove(ArrivedMessage message) {
        ArrivedMessage before = message.previous;
        ArrivedMessage after = message.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        message.previous = null;
        message.next = null;
        size--;
        if (message.orphan) {
            orphanBytes -= cost(message);
        }
    }

    /** The endpoint has ended: its messages are kept as long as there is room for them. */
    @SuppressWarnings("ReferenceEquality") // The endpoint itself.
    void orphan(Endpoint endpoint) {
        for (ArrivedMessage message = first; message != null; message = message.next) {
            if (message.endpoint == endpoint && !message.orphan) {
                message.orphan = true;
                orphanBytes += cost(message);
            }
        }
    }

    /** Takes out a message that there is no room for any more, the oldest first. */
    @Nullable ArrivedMessage removeExcess() {
        if (orphanBytes <= ORPHANS_MAX_BYTES) {
            return null;
        }
        for (ArrivedMessage message = first; message != null; message = message.next) {
            if (message.orphan) {
                remove(message);
                return message;
            }
        }
        throw new IllegalStateException("messages of ended endpoints miscounted: bytes=" + orphanBytes);
    }

    private static long cost(ArrivedMessage message) {
        return MESSAGE_COST + (message.length <= EAGER_MAX ? message.length : 0);
    }
}
