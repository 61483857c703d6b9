package io.fairlead.node;

import io.fairlead.node.internal.request.RequestScope;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;

/**
 * A request that a service answers. Thread-safe, but for its bytes, which may be read and changed by one thread after the other. Implemented by
 * Fairlead only.
 *
 * <p>It is answered once, by {@link #reply} or {@link #fail}, from any thread; a second answer throws {@link IllegalStateException}. The answer to a request
 * that has ended otherwise (cancelled, past its deadline, its peer gone) is dropped and counted.
 *
 * <p>Its memory is the handler's until it answers; segments taken from {@link #segment()} must not be used afterwards, because they may show a later
 * message. A handler that answers has nothing to close.
 */
public interface ServiceRequest extends Message {
    /**
     * Replies. Heap memory, and up to 8,192 bytes of any memory, is copied before the call returns. Longer native memory that any thread may access is sent
     * in place, the request's own included, and belongs to the node until the action runs.
     *
     * <p>The copy of a reply waits until the caller takes it. At most a quarter of {@code node.queue-bytes} waits. Beyond that this blocks as
     * operations of a node do, but no longer than the request lasts. If there is still no capacity the reply is lost and the request ends with
     * {@link RequestStatus#RESOURCE_EXHAUSTED}.
     *
     * @param message the whole segment is the reply, of 0 bytes and up. One longer than the caller's {@code node.message-max} fails the request there
     * @param reusable run once when the memory may be reused, which says nothing about the caller: before the call returns where the memory was copied or the
     *     request has ended, else where the node's futures complete. What it throws is logged
     * @throws IllegalStateException if the request is answered already, or closed
     * @throws IllegalArgumentException if the memory is closed
     */
    void reply(MemorySegment message, Runnable reusable);

    /**
     * Sets names and values that are sent with the reply, in {@link Message#context()} there. A failed request has none.
     *
     * @param headers replaces what was set before
     * @throws IllegalStateException if the request is answered already, or closed
     */
    void replyHeaders(MessageContext headers);

    /**
     * Replies with memory that stays unchanged and open, such as the request's own, or any of at most 8,192 bytes. As
     * {@link #reply(MemorySegment, Runnable)} otherwise.
     *
     * @param message the whole segment is the reply
     */
    default void reply(MemorySegment message) {
        reply(message, () -> {});
    }

    /**
     * Replies with a copy of these bytes. As {@link #reply(MemorySegment, Runnable)} otherwise.
     *
     * @param message the reply; may be changed when the call returns
     */
    default void reply(byte[] message) {
        reply(MemorySegment.ofArray(message));
    }

    /**
     * Does nothing if the request is answered. Otherwise it can no longer be answered or read, and fails with {@link RequestStatus#FAILED},
     * unless it has ended
     * already. So do not close a request that another thread is to answer. Idempotent.
     */
    @Override
    void close();

    /**
     * Fails the request.
     *
     * @param status not {@link RequestStatus#OK}
     * @param text one line for the caller; of more than 1,024 bytes in UTF-8 the rest is cut off, and control characters become spaces
     * @throws IllegalStateException if the request is answered already, or closed
     */
    void fail(RequestStatus status, String text);

    /**
     * How long the caller waits on.
     *
     * @return the time until the deadline, zero when it has passed
     */
    Duration timeLeft();

    /**
     * Whether the request has ended without an answer of the handler's: cancelled, past its deadline, or its peer gone. An answer is then dropped.
     *
     * @return true from then on
     */
    boolean isCancelled();

    /**
     * The request that this thread handles. Requests that its handler makes have at most the time that it has left, and are cancelled when it ends without an
     * answer of the handler's.
     *
     * @return empty outside of a handler, and on threads that a handler has started
     */
    static Optional<ServiceRequest> current() {
        return RequestScope.current();
    }

    /**
     * Runs a task as a part of this request's handler, on a thread that the handler has passed it to. See {@link #current()}.
     *
     * @param task run in the call
     */
    void run(Runnable task);

    /**
     * Sets what is done when the request ends without an answer of the handler's; at once if that has happened already. By the service's executor
     * otherwise.
     *
     * @param action replaces the one before; what it throws is logged
     */
    void onCancel(Runnable action);
}
