package io.fairlead.internal.engine;

import io.fairlead.spi.LayerReceive;
import io.fairlead.spi.PrefacedMessage;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The messages of an endpoint with its layer's tags: header messages, with their results for the next message, and
 * messages that the layer receives.
 */
final class Prefaces {
    private final GuardedHandler handler;
    private final long tag;
    private final long ownTag;
    private final long ownTagMask;
    private @Nullable Object next;

    Prefaces(GuardedHandler handler) {
        this.handler = handler;
        this.tag = handler.prefaceTag();
        this.ownTag = handler.ownTag();
        this.ownTagMask = handler.ownTagMask();
    }

    /** Whether messages with a tag are passed to the layer. */
    boolean mayBe(long messageTag) {
        return messageTag == tag;
    }

    /** Whether messages with a tag are the layer's own, unless it leaves them to the application. */
    boolean mayBeOwn(long messageTag) {
        return (messageTag & ownTagMask) == ownTag;
    }

    /** Whether the layer decides itself who may send a message with a tag. */
    boolean isOfLayer(long messageTag) {
        return handler.isOfLayer(messageTag);
    }

    /** How the layer receives a message of its own. */
    LayerReceive receive(PrefacedMessage message) {
        return handler.receive(message);
    }

    /** Passes a message to the layer; true if it is a header message, which the layer must receive. */
    boolean tryTake(CoreMessageInfo message) {
        Optional<Object> preface = handler.preface(message, Optional.ofNullable(next));
        if (preface.isEmpty()) {
            return false;
        }
        next = preface.get();
        return true;
    }

    /** The result of the header message before the next message; null if there is none. */
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
