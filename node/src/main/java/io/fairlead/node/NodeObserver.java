package io.fairlead.node;

import io.fairlead.observation.MessageContext;
import io.fairlead.statistics.OperationKind;
import java.util.Optional;

/**
 * Observes every operation that is called on a {@link Node} and its peers, for tracing. Implementations must be thread-safe, quick and
 * without exceptions; what they throw is logged and changes nothing.
 *
 * @see Node#observe
 */
@FunctionalInterface
public interface NodeObserver {
    /** No observer. */
    NodeObserver NONE = (_, _, _) -> _ -> {};

    /**
     * An operation is being called. Runs on the caller's thread, before the operation begins.
     *
     * @param operation what it does
     * @param peer whose; empty for a receive from any peer
     * @param length the payload's bytes; 0 for a receive, which does not know yet
     * @return observes the end
     */
    Running started(OperationKind operation, Optional<Peer> peer, long length);

    /**
     * A request is being called. As {@link #started}, which it calls for a {@link OperationKind#SEND} unless overridden. A set's attempts at several members are
     * requests of their own.
     *
     * @param service as {@link ServiceStatistics#service()} names it on the caller's side
     * @param peer whom it asks
     * @param length the payload's bytes
     * @return observes the end. Its failure is a {@link RequestException} with the status that {@link ServiceStatistics} count:
     *     {@link RequestStatus#CANCELLED} if the caller has cancelled the future or given it any other end. Where the call itself throws, nothing is
     *     counted and the failure is what it throws
     */
    default Running requested(String service, Peer peer, long length) {
        return started(OperationKind.SEND, Optional.of(peer), length);
    }

    /**
     * A service is about to handle a request that has brought a context. Calls the handler unless overridden, as the delivery of a
     * {@link OperationKind#RECEIVE}. Runs where the handler does.
     *
     * @param service as {@link ServiceStatistics#service()} names it on the service's side
     * @param request what the handler gets
     * @param handler handles it, on this thread; to be called once. It returns when the handler has returned, which may be before the request is answered
     */
    default void handled(String service, ServiceRequest request, Runnable handler) {
        Running receive = started(OperationKind.RECEIVE, Optional.of(request.source()), request.length());
        receive.ended(Optional.empty());
        receive.deliver(request, handler);
    }

    /** An operation that has been called. */
    @FunctionalInterface
    interface Running {
        /**
         * The operation has ended, whichever way: once, on any thread, before its future completes.
         *
         * @param failure what its future fails with; empty if it has succeeded
         */
        void ended(Optional<Throwable> failure);

        /**
         * The context that a sent message carries. Only peers that are nodes are sent it. Called on any thread before the send ends, and again
         * if the message finds no capacity at first.
         *
         * @return always the same; empty unless overridden
         */
        default MessageContext context() {
            return MessageContext.EMPTY;
        }

        /**
         * A receive has ended well, with a message that brought a context. After {@link #ended}; calls the completion unless overridden.
         *
         * @param message the message
         * @param completion completes the receive's future and runs its callbacks, on this thread; to be called once
         */
        default void deliver(Message message, Runnable completion) {
            completion.run();
        }
    }
}
