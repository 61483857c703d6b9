package io.fairlead.spi;

import io.fairlead.Incubating;
import java.lang.foreign.MemorySegment;

/**
 * A {@link TransportEndpoint} that can do short operations inside their posts, in the order of all its posts. The core
 * tries this before it posts an {@link Operation}. That avoids the cost of an operation in flight.
 *
 * <p>Each method does the operation completely or not at all. After {@code false}, for whatever reason, the core posts
 * the operation normally. A method throws the exception of a copy whose memory is closed during the call; the peer then
 * sees no effect.
 */
@Incubating
public interface DirectEndpoint extends TransportEndpoint {
    /**
     * Sends a message, as {@link #send} does.
     *
     * @param buffer the payload
     * @param offset first byte of the payload, in bytes
     * @param length length of the payload in bytes
     * @param tag the message's tag
     * @return whether the payload was sent
     */
    boolean trySend(MemorySegment buffer, long offset, long length, long tag);

    /**
     * Sends an active message, as {@link #send} does.
     *
     * @param handler the handler number
     * @param header the header, sent whole
     * @param buffer the payload
     * @param offset first byte of the payload, in bytes
     * @param length length of the payload in bytes
     * @return whether the message was sent; false unless overridden
     */
    default boolean trySendActive(int handler, MemorySegment header, MemorySegment buffer, long offset, long length) {
        return false;
    }

    /**
     * Writes to remote memory, as {@link #put} without a signal does.
     *
     * @param target the peer's region
     * @param targetOffset offset in the region, in bytes
     * @param source the data to write
     * @param offset first byte of the data in the source, in bytes
     * @param length length of the data in bytes
     * @return whether the data was written
     */
    boolean tryPut(RemoteMemory target, long targetOffset, MemorySegment source, long offset, long length);

    /**
     * Reads remote memory, as {@link #get} does.
     *
     * @param source the peer's region
     * @param sourceOffset offset in the region, in bytes
     * @param target the memory to fill
     * @param offset first byte to fill in the target, in bytes
     * @param length length of the data in bytes
     * @return whether the data was read
     */
    boolean tryGet(RemoteMemory source, long sourceOffset, MemorySegment target, long offset, long length);
}
