package io.fairlead.pubsub;

import io.fairlead.Worker;
import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;

/**
 * Receives the messages of a subscription, on the worker's thread inside {@link Worker#progress()}.
 *
 * <p>It may publish, subscribe and close subscriptions and the subscriber; the worker refuses {@code progress()} here. Anything that it
 * throws is logged: the message counts as delivered, and the next progress goes on with the message after it.
 */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Called for each message, in the order of sequence numbers.
     *
     * @param topic the topic's name
     * @param sequence the message's number in its topic, 1 and up
     * @param buffer holds the message during this call only, and is not to be written; copy what is needed later
     * @param offset first byte of the message in the buffer
     * @param length bytes of the message, 0 and up
     */
    void message(String topic, long sequence, MemorySegment buffer, long offset, long length);

    /**
     * Called instead for a message that was published with a context, as tracing does. Leaves the context alone unless overridden.
     *
     * @param topic the topic's name
     * @param sequence the message's number in its topic, 1 and up
     * @param buffer holds the message during this call only, and is not to be written; copy what is needed later
     * @param offset first byte of the message in the buffer
     * @param length bytes of the message, 0 and up
     * @param context the context that the publisher sent
     */
    default void message(
            String topic, long sequence, MemorySegment buffer, long offset, long length, MessageContext context) {
        message(topic, sequence, buffer, offset, length);
    }
}
