package io.fairlead.node.internal;

import io.fairlead.internal.log.Callbacks;
import io.fairlead.node.Message;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.observation.MessageContext;
import io.fairlead.statistics.OperationKind;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a caller waits for and what the loop is handed, in one object: an operation allocates
 * this and little else.
 */
abstract class NodeOperation<T> extends NodeFuture<T> implements LoopTask, Delivery {
    private static final Logger LOG = LoggerFactory.getLogger(NodeObserver.class);

    /** Links of the operations that the engine has, on the loop's thread. */
    @Nullable NodeOperation<?> previous;

    @Nullable NodeOperation<?> next;

    /** The engine has taken it on, so that nobody knows any more what of it has left. */
    private boolean posted;

    /** Is told of the end, of an operation that somebody observes. */
    private NodeObserver.@Nullable Running observed;

    final void notePosted() {
        posted = true;
    }

    /** Whether something of it may have left this process; to be asked when it has ended. */
    final boolean isPosted() {
        return posted;
    }

    /** Tells an observer that the operation is being called. */
    final void observe(NodeObserver observer, OperationKind kind, Optional<Peer> on, long length) {
        try {
            observed = observer.started(kind, on, length);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an observer threw; operation={}", kind);
        }
    }

    /** Who is told of the end; null if nobody is. */
    final NodeObserver.@Nullable Running observer() {
        return observed;
    }

    /** What the observer has the message carry. */
    final MessageContext observedContext() {
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

    static void tellDelivery(NodeObserver.Running told, Message message, Runnable completion) {
        try {
            told.deliver(message, completion);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an observer threw at the delivery of a message");
        }
    }

    /** Tells the observer, if there is one, that the operation is about to end. */
    final void tellEnd(@Nullable Throwable failure) {
        NodeObserver.Running telling = observed;
        if (telling == null) {
            return;
        }
        observed = null;
        try {
            telling.ended(Optional.ofNullable(failure));
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an observer threw at the end of an operation");
        }
    }

    /** Ends the operation through the loop, on its thread. */
    abstract void fail(ProgressLoop loop, Throwable cause);
}
