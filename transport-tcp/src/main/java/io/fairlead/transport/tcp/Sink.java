package io.fairlead.transport.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Where the payload of the frame goes that is being received. */
interface Sink {
    /**
     * Takes bytes that came through the worker's receive buffer.
     *
     * @param source the receive buffer
     * @param at where they are
     * @param count how many; never more than are missing
     */
    void take(MemorySegment source, int at, int count);

    /**
     * Where the socket may put the next bytes itself. {@link #filled} follows in any case.
     *
     * @param missing how many bytes the payload still has
     * @return room for at most so many, or null if they have to go through the receive buffer
     */
    @Nullable ByteBuffer target(int missing);

    /**
     * The socket has put bytes into the last {@link #target}.
     *
     * @param count how many, 0 and up
     */
    void filled(int count);

    /** The payload is complete. */
    void end();

    /** The endpoint ends in the middle of the payload. */
    void abandon();
}
