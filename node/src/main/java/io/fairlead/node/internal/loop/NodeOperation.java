package io.fairlead.node.internal.loop;

import io.fairlead.internal.log.Callbacks;
import io.fairlead.node.Message;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.observation.MessageContext;
import io.fairlead.statistics.OperationKind;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The caller's future and the loop's task in one object, so that an operation allocates little else.
 */
public abstract class NodeOperation<T> extends NodeFuture<T> implements LoopTask, Delivery {
    private static final Logger LOG = LoggerFactory.getLogger(NodeObserver.class);

    /** Links of the operations that the engine has, on the loop's thread. */
    @Nullable NodeOperation<?> previous;

    @Nullable NodeOperation<?> next;

    /** The engine has accepted it, so some of it may have left. */
    private boolean posted;

    /** Observes the end; null if the operation is not observed. */
    private NodeObserver.@Nullable Running observed;

    public final void notePosted() {
        posted = true;
    }

    /** Whether something of it may have left this process. Valid when it has ended. */
    public final boolean isPosted() {
        return posted;
    }

    /** Notifies an observer that the operation is being called. */
    public final void observe(NodeObserver observer, OperationKind kind, Optional<Peer> on, long length) {
        observe(() -> observer.started(kind, on, length), kind.name());
    }

    /** The same for a request. */
    public final void observeRequest(NodeObserver observer, String service, Peer on, long length) {
        observe(() -> observer.requested(service, on, length), "REQUEST");
    }

    private void observe(Supplier<NodeObserver.Running> start, String operation) {
        try {
            observed = start.get();
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an observer threw; operation={}", operation);
        }
    }

    /** The observer of the end; null if there is none. */
    protected final NodeObserver.@Nullable Running observer() {
        return observed;
    }

    /** The context that the observer adds to the message. */
    protected final MessageContext observedContext() {
        NodeObserver.Running asked = observed;
        if (asked != null) {
            try {
                return asked.context();
            } catch (Throwable thrown) {
                Callbacks.logThrown(LOG, thrown, "an observer threw when it was asked for a context");
            }
        }
        return MessageContext.EMPTY;
    }

    protected static void notifyDelivery(NodeObserver.Running running, Message message, Runnable completion) {
        try {
            running.deliver(message, completion);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an observer threw at the delivery of a message");
        }
    }

    /** Notifies the observer, if there is one, that the operation is about to end. */
    public final void notifyEnd(@Nullable Throwable failure) {
        NodeObserver.Running ending = observed;
        if (ending == null) {
            return;
        }
        observed = null;
        try {
            ending.ended(Optional.ofNullable(failure));
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an observer threw at the end of an operation");
        }
    }

    /** Fails the operation through the loop, on its thread. */
    @Override
    public abstract void fail(ProgressLoop loop, Throwable cause);
}
