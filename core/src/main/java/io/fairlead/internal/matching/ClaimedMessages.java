package io.fairlead.internal.matching;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Messages that the application has claimed and not yet received. They are not in matching, so this reuses the links of
 * {@link UnexpectedQueue}. A node claims many at a time and receives them in any order.
 */
public final class ClaimedMessages {
    private @Nullable CoreArrival first;

    public void add(CoreArrival arrival) {
        arrival.next = first;
        if (first != null) {
            first.previous = arrival;
        }
        first = arrival;
    }

    public void remove(CoreArrival arrival) {
        CoreArrival before = arrival.previous;
        CoreArrival after = arrival.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        }
        arrival.previous = null;
        arrival.next = null;
    }

    /** The endpoint has ended: incomplete messages will never complete. */
    @SuppressWarnings("ReferenceEquality") // A source is one endpoint.
    public void end(MessageSource source) {
        for (CoreArrival arrival = first; arrival != null; arrival = arrival.next) {
            if (arrival.source == source && !source.tryKeep(arrival)) {
                arrival.dead = true;
            }
        }
    }

    /** Whether a message of a source can still be received. */
    @SuppressWarnings("ReferenceEquality") // A source is one endpoint.
    public boolean holdsMessagesOf(MessageSource source) {
        for (CoreArrival arrival = first; arrival != null; arrival = arrival.next) {
            if (arrival.source == source && !arrival.dead) {
                return true;
            }
        }
        return false;
    }

    public void discardAll() {
        for (CoreArrival arrival = first; arrival != null; arrival = first) {
            remove(arrival);
            if (!arrival.dead) {
                Objects.requireNonNull(arrival.source, "source").discard(arrival);
            }
        }
    }
}
