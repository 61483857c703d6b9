package io.fairlead.testkit.loopback;

import java.lang.foreign.MemorySegment;

/** What one endpoint sends the other. Immutable, so that it can cross threads. */
sealed interface LoopbackFrame {
    /**
     * A message, whole.
     *
     * @param message its number at the sender
     * @param tag its tag
     * @param payload its bytes, which nobody else holds
     * @param synchronous whether the sender waits for {@link Matched}
     */
    record Eager(long message, long tag, MemorySegment payload, boolean synchronous) implements LoopbackFrame {}

    /**
     * A message that waits at the sender for {@link Pull}.
     *
     * @param message its number at the sender
     * @param tag its tag
     * @param length its bytes
     */
    record Announcement(long message, long tag, long length) implements LoopbackFrame {}

    /**
     * An active message, whole.
     *
     * @param handler the handler number
     * @param headerLength how many of the bytes are its header
     * @param bytes header and payload, which nobody else holds
     */
    record Active(int handler, int headerLength, MemorySegment bytes) implements LoopbackFrame {}

    /**
     * An active message whose payload waits at the sender for {@link Pull}.
     *
     * @param message its number at the sender
     * @param handler the handler number
     * @param header its header, which nobody else holds
     * @param length bytes of its payload
     */
    record ActiveAnnouncement(long message, int handler, MemorySegment header, long length) implements LoopbackFrame {}

    /**
     * The receiver has matched an eager message whose sender waits for that.
     *
     * @param message its number at the sender
     */
    record Matched(long message) implements LoopbackFrame {}

    /**
     * The receiver has matched an announced message and wants its bytes.
     *
     * @param message its number at the sender
     * @param length how many of its bytes the receiver has capacity for
     */
    record Pull(long message, long length) implements LoopbackFrame {}

    /**
     * The next bytes of a message that was pulled.
     *
     * @param message its number at the sender
     * @param bytes the bytes, which nobody else holds
     */
    record Chunk(long message, MemorySegment bytes) implements LoopbackFrame {}

    /**
     * A message of remote memory, header and data.
     *
     * @param bytes the bytes, which nobody else holds
     */
    record Memory(MemorySegment bytes) implements LoopbackFrame {}
}
