package io.fairlead.spi.served;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Takes the data of one message that comes in pieces, for channels that do not have all of it at once. There is one for each of {@link
 * RemoteRequester} and {@link RemoteResponder}, so that the data of one message ends before that of the next begins.
 */
public interface Intake {
    /**
     * Copies the next bytes to where they belong.
     *
     * @param source where they are
     * @param at the first of them
     * @param count how many; no more than are missing
     */
    void take(MemorySegment source, long at, long count);

    /**
     * Where the transport may put the next bytes itself, from {@link #offset} on. {@link #took} must follow in any case, in the same call of progress.
     *
     * @return the memory, or null if the bytes belong nowhere any more and are to be {@linkplain #take taken}
     */
    @Nullable MemorySegment hold();

    /**
     * Where the next byte belongs.
     *
     * @return bytes from the beginning of what {@link #hold} gave
     */
    long offset();

    /**
     * The transport has put bytes into what {@link #hold} gave, and lets go of it.
     *
     * @param count how many, 0 and up
     */
    void took(long count);

    /** The data is complete. */
    void end();
}
