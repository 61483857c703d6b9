package io.fairlead.transport.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The destination of a payload that is being received. */
interface Sink {
    /**
     * Takes bytes that came through the worker's receive buffer.
     *
     * @param source the receive buffer
     * @param at their position
     * @param count their number; at most the missing ones
     */
    void take(MemorySegment source, int at, int count);

    /**
     * The memory into which the socket may read the next bytes directly. {@link #filled} follows in any case.
     *
     * @param missing the number of missing bytes of the payload
     * @return memory for at most that number, or null if they must pass through the receive buffer
     */
    @Nullable ByteBuffer target(int missing);

    /**
     * The socket has read bytes into the last {@link #target}.
     *
     * @param count the number of bytes, 0 and up
     */
    void filled(int count);

    /** The payload is complete. */
    void end();

    /** The endpoint ends during the payload. */
    void abandon();
}
