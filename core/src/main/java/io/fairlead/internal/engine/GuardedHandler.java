package io.fairlead.internal.engine;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.MessageInfo;
import io.fairlead.internal.events.EndpointSubject;
import io.fairlead.internal.handshake.HandshakeCodec;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.spi.LayerHandler;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application's or the layer's handler of one endpoint: its exceptions are logged and not propagated. Has what
 * matching asks for each message: the tag of the layer, and the header message before the next message.
 */
final class GuardedHandler {
    private static final Logger LOG = LoggerFactory.getLogger(EndpointHandler.class);

    private EndpointHandler handler;
    private final EndpointSubject subject;
    private final boolean exclusive;
    private final long prefaceTag;
    /** The result of the header message before the next message; null if there is none. */
    private @Nullable Object nextPreface;

    GuardedHandler(EndpointHandler handler, EndpointSubject subject) {
        this.handler = handler;
        this.subject = subject;
        this.exclusive = askIfExclusive();
        this.prefaceTag = ask("prefaceTag", LayerHandler::prefaceTag);
    }

    private boolean askIfExclusive() {
        try {
            return handler instanceof LayerHandler layer && layer.isExclusive();
        } catch (Throwable thrown) {
            Callbacks.logThrown(
                    LOG, thrown, "an endpoint handler threw; call=isExclusive, endpoint={}", subject.label());
            return false;
        }
    }

    /**
     * Whether the handler hides the endpoint's messages from receives from any endpoint. Cached, because matching reads
     * it for each message.
     */
    boolean isExclusive() {
        return exclusive;
    }

    private long ask(String what, ToLongFunction<LayerHandler> question) {
        try {
            return handler instanceof LayerHandler layer ? question.applyAsLong(layer) : LayerHandler.NO_TAG;
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an endpoint handler threw; call={}, endpoint={}", what, subject.label());
            return LayerHandler.NO_TAG;
        }
    }

    /** Whether messages with a tag are passed to the layer before they are matched. */
    boolean mayBePreface(long tag) {
        return tag == prefaceTag;
    }

    /** Passes a message to the layer; true if it is a header message, which the layer must receive. */
    boolean tryTakePreface(MessageInfo message) {
        Optional<Object> preface = preface(message, Optional.ofNullable(nextPreface));
        if (preface.isEmpty()) {
            return false;
        }
        nextPreface = preface.get();
        return true;
    }

    /** The result of the header message before the next message; null if there is none. */
    @Nullable Object nextPreface() {
        return nextPreface;
    }

    /** The next message has arrived. */
    void passed() {
        if (nextPreface != null) {
            nextPreface = null;
        }
    }

    private Optional<Object> preface(MessageInfo message, Optional<Object> before) {
        try {
            return handler instanceof LayerHandler layer ? layer.preface(message, before) : Optional.empty();
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an endpoint handler threw; call=preface, endpoint={}", subject.label());
            return Optional.empty();
        }
    }

    /** The features of the handler, for the peer's; 0 if it throws. */
    int features() {
        try {
            int features = handler instanceof LayerHandler layer ? layer.features() : 0;
            if (features >= 0 && features <= HandshakeCodec.LAYER_FEATURES_MAX) {
                return features;
            }
            LOG.error("a handler's features are out of range; features={}, endpoint={}", features, subject.label());
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an endpoint handler threw; call=features, endpoint={}", subject.label());
        }
        return 0;
    }

    void connected(Endpoint endpoint, int peerFeatures) {
        notify("connected", () -> {
            if (handler instanceof LayerHandler layer) {
                layer.connected(endpoint, peerFeatures);
            } else {
                handler.connected(endpoint);
            }
        });
    }

    /** Whether the handler reports the connection as a replacement of a lost one. */
    boolean isReconnect(Endpoint endpoint) {
        return holds("isReconnect", layer -> layer.isReconnect(endpoint));
    }

    /** Calls a layer's handler; false if it is not a layer's, or throws. */
    private boolean holds(String call, Predicate<LayerHandler> question) {
        try {
            return handler instanceof LayerHandler layer && question.test(layer);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an endpoint handler threw; call={}, endpoint={}", call, subject.label());
            return false;
        }
    }

    /** The endpoint has ended, and the handler is not called any more. */
    void release() {
        handler = EndpointHandler.NONE;
    }

    void signalled(Endpoint endpoint, long value) {
        notify("signalled", () -> handler.signalled(endpoint, value));
    }

    void failed(Endpoint endpoint, FairleadException cause) {
        notify("failed", () -> handler.failed(endpoint, cause));
    }

    void closed(Endpoint endpoint) {
        notify("closed", () -> handler.closed(endpoint));
    }

    private void notify(String what, Runnable call) {
        try {
            call.run();
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an endpoint handler threw; call={}, endpoint={}", what, subject.label());
        }
    }
}
