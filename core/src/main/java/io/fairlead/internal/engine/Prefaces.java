package io.fairlead.internal.engine;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The messages of an endpoint under its layer's own tag, and what they have come to for the message behind them. */
final class Prefaces {
    private final GuardedHandler handler;
    private final long tag;
    private @Nullable Object next;

    Prefaces(GuardedHandler handler) {
        this.handler = handler;
        this.tag = handler.prefaceTag();
    }

    /** Whether messages with a tag are offered to the layer. */
    boolean mayBe(long messageTag) {
        return messageTag == tag;
    }

    /** Offers a message to the layer; true if it is a preface, which the layer has to receive. */
    boolean tryTake(CoreMessageInfo message) {
        Optional<Object> preface = handler.preface(message, Optional.ofNullable(next));
        if (preface.isEmpty()) {
            return false;
        }
        next = preface.get();
        return true;
    }

    /** What the next message is prefaced by; null if by nothing. */
    @Nullable Object next() {
        return next;
    }

    /** The next message has arrived. */
    void passed() {
        if (next != null) {
            next = null;
        }
    }
}
