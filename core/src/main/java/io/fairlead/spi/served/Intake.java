package io.fairlead.spi.served;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Receives the data of one message in pieces, for channels that do not have all of it at once. {@link RemoteRequester}
 * and {@link RemoteResponder} have one each: the data of one message must {@linkplain #end end} before the data of the
 * next begins. Belongs to the worker's thread.
 */
public interface Intake {
    /**
     * Copies the next bytes of the data to their target.
     *
     * @param source the memory that holds the bytes
     * @param at the offset of the first byte there
     * @param count the number of bytes; at most the missing ones
     */
    void take(MemorySegment source, long at, long count);

    /**
     * Acquires the target, so that the transport can write the next bytes there itself, from {@link #offset} on. The
     * transport must then call {@link #took}, in the same call of progress, even if the result is null.
     *
     * @return the memory; null if the target is gone, and the bytes must be {@linkplain #take taken} to be discarded
     */
    @Nullable MemorySegment hold();

    /**
     * The offset of the next byte in the memory that {@link #hold} returned.
     *
     * @return bytes
     */
    long offset();

    /**
     * Releases the memory that {@link #hold} returned.
     *
     * @param count the number of bytes that the transport has written there, 0 and up
     */
    void took(long count);

    /** Ends the message: all of its data has been taken. */
    void end();
}
