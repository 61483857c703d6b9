package io.fairlead.node;

import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;

/**
 * A message that a {@link Node} has received. Implemented by Fairlead only. Its bytes may be read and changed by one thread after
 * the other.
 *
 * <p>Closing is optional: it lets the node reuse the memory of a long message at once. The garbage collector frees a message that is not
 * closed.
 */
public interface Message extends AutoCloseable {
    /**
     * The bytes.
     *
     * @return exactly the message, aligned to 8 bytes: heap memory for short messages and native memory for long ones, or the part of
     *     {@link Node#receiveInto}'s buffer that the message fills
     * @throws IllegalStateException if the message is closed
     */
    MemorySegment segment();

    /**
     * The message's length.
     *
     * @return bytes, 0 and up
     */
    long length();

    /**
     * The message's tag.
     *
     * @return 48 bits
     */
    long tag();

    /**
     * The peer that sent it.
     *
     * @return the peer, connected or not
     */
    Peer source();

    /**
     * The context that was sent with the message: what the sender's tracing adds, the headers of a request or those of a reply.
     *
     * @return names and values, perhaps none
     */
    MessageContext context();

    /**
     * A copy of the bytes.
     *
     * @return a fresh array
     * @throws IllegalStateException if the message is closed, or longer than an array can be
     */
    byte[] bytes();

    /**
     * Gives the memory back to the node. Segments taken from {@link #segment()} must not be used afterwards: they may show a later
     * message. Idempotent, callable from any thread; does nothing to a buffer of the caller's.
     */
    @Override
    void close();
}
