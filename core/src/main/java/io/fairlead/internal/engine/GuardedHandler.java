package io.fairlead.internal.engine;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.MessageInfo;
import io.fairlead.internal.events.EndpointSubject;
import io.fairlead.internal.handshake.HandshakeCodec;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.spi.LayerHandler;
import io.fairlead.spi.LayerReceive;
import io.fairlead.spi.PrefacedMessage;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The application's handler of one endpoint: what it throws is logged and goes no further. */
final class GuardedHandler {
    private static final Logger LOG = LoggerFactory.getLogger(EndpointHandler.class);

    private EndpointHandler handler;
    private final EndpointSubject subject;
    private final boolean exclusive;
    private final long prefaceTag;
    private final long ownTag;
    private final long ownTagMask;

    GuardedHandler(EndpointHandler handler, EndpointSubject subject) {
        this.handler = handler;
        this.subject = subject;
        this.exclusive = askIfExclusive();
        this.prefaceTag = ask("prefaceTag", LayerHandler::prefaceTag);
        this.ownTag = ask("ownTag", LayerHandler::ownTag);
        this.ownTagMask = ask("ownTagMask", LayerHandler::ownTagMask);
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

    /** Whether the handler keeps the endpoint's messages from receives of any source. Asked once: matching looks at it for each message. */
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

    /** The tag of messages that the handler is offered before they are matched. Asked once, too. */
    long prefaceTag() {
        return prefaceTag;
    }

    /** What the handler makes of a message with that tag. */
    Optional<Object> preface(MessageInfo message, Optional<Object> before) {
        try {
            return handler instanceof LayerHandler layer ? layer.preface(message, before) : Optional.empty();
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an endpoint handler threw; call=preface, endpoint={}", subject.label());
            return Optional.empty();
        }
    }

    /** The tag of messages that the handler receives itself; the bits of the mask are compared. Asked once, too. */
    long ownTag() {
        return ownTag;
    }

    long ownTagMask() {
        return ownTagMask;
    }

    /** Whether the handler is a layer's that decides itself who may send messages with a tag; not if it cannot say. */
    boolean isOfLayer(long tag) {
        try {
            return handler instanceof LayerHandler layer && layer.isOfLayer(tag);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an endpoint handler threw; call=isOfLayer, endpoint={}", subject.label());
            return false;
        }
    }

    /** How the handler receives a message with that tag. */
    LayerReceive receive(PrefacedMessage message) {
        try {
            return handler instanceof LayerHandler layer ? layer.receive(message) : LayerReceive.NONE;
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an endpoint handler threw; call=receive, endpoint={}", subject.label());
            return LayerReceive.NONE;
        }
    }

    /** What the handler can do, for the peer's; nothing if it cannot say. */
    int features() {
        try {
            int features = handler instanceof LayerHandler layer ? layer.features() : 0;
            if (features >= 0 && features <= HandshakeCodec.FEATURES_MAX) {
                return features;
            }
            LOG.error("a handler's features are out of range; features={}, endpoint={}", features, subject.label());
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an endpoint handler threw; call=features, endpoint={}", subject.label());
        }
        return 0;
    }

    void connected(Endpoint endpoint, int peerFeatures) {
        tell("connected", () -> {
            if (handler instanceof LayerHandler layer) {
                layer.connected(endpoint, peerFeatures);
            } else {
                handler.connected(endpoint);
            }
        });
    }

    /** Whether the handler says that the connection replaces one that was lost. */
    boolean isReconnect(Endpoint endpoint) {
        return holds("isReconnect", layer -> layer.isReconnect(endpoint));
    }

    /** Whether the layer may still receive what an ended endpoint has left behind. */
    boolean mayReceiveAfterEnd(Endpoint endpoint) {
        return holds("mayReceiveAfterEnd", layer -> layer.mayReceiveAfterEnd(endpoint));
    }

    /** Asks the handler if it is a layer's; false if it is not, or throws. */
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
        tell("signalled", () -> handler.signalled(endpoint, value));
    }

    void failed(Endpoint endpoint, FairleadException cause) {
        tell("failed", () -> handler.failed(endpoint, cause));
    }

    void closed(Endpoint endpoint) {
        tell("closed", () -> handler.closed(endpoint));
    }

    private void tell(String what, Runnable call) {
        try {
            call.run();
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an endpoint handler threw; call={}, endpoint={}", what, subject.label());
        }
    }
}
