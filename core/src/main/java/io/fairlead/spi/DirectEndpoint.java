package io.fairlead.spi;

import io.fairlead.Incubating;
import java.lang.foreign.MemorySegment;

/**
 * A {@link TransportEndpoint} that can do short operations inside their posts, where they take effect in the order of all its posts. The core asks it
 * before it posts an {@link Operation}, if the completion may run inside the post as well, and so saves what an operation costs that is on its way.
 *
 * <p>Each method does all of the operation or nothing of it. After {@code false}, for whatever reason, the core posts the operation as any other. They
 * throw what a copy throws whose memory is closed during the call, and have then done nothing that the peer can see.
 */
@Incubating
public interface DirectEndpoint extends TransportEndpoint {
    /**
     * Sends a message, as {@link #send} does.
     *
     * @param buffer its payload
     * @param offset where that begins, in bytes
     * @param length of it, in bytes
     * @param tag the message's
     * @return whether the payload has left
     */
    boolean trySend(MemorySegment buffer, long offset, long length, long tag);

    /**
     * Writes to remote memory, as {@link #put} without a signal does.
     *
     * @param target the peer's region
     * @param targetOffset where in it, in bytes
     * @param source what is written
     * @param offset where that begins, in bytes
     * @param length of it, in bytes
     * @return whether it is written
     */
    boolean tryPut(RemoteMemory target, long targetOffset, MemorySegment source, long offset, long length);

    /**
     * Reads remote memory, as {@link #get} does.
     *
     * @param source the peer's region
     * @param sourceOffset where in it, in bytes
     * @param target what is written to
     * @param offset where in it, in bytes
     * @param length how much, in bytes
     * @return whether it is read
     */
    boolean tryGet(RemoteMemory source, long sourceOffset, MemorySegment target, long offset, long length);
}
