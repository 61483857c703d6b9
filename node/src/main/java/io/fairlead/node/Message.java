package io.fairlead.node;

import io.fairlead.observation.MessageContext;
import java.lang.foreign.MemorySegment;

/**
 * A message that a {@link Node} has received. Implemented by Fairlead only. Its bytes may be read and changed by one thread after
 * the other.
 *
 * <p>Closing is a courtesy: it lets the node use the memory of a long message for the next one. A message that is not closed is
 * freed by the garbage collector.
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
     * Who sent it; the peer to answer to.
     *
     * @return the peer, connected or not
     */
    Peer source();

    /**
     * What the sender's tracing sent along.
     *
     * @return names and values; empty unless the sender's node is observed by somebody who adds them
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
