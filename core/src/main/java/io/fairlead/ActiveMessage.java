package io.fairlead;

import com.google.errorprone.annotations.CheckReturnValue;
import java.lang.foreign.MemorySegment;

/**
 * A message with a handler number, as its {@link ActiveMessageHandler} sees it: a short header and a payload. It has no
 * tag, and no receive is posted for it. Belongs to the worker's thread. Implemented by Fairlead only.
 *
 * <p>A payload up to the eager limit is {@linkplain #isWhole() here}, behind the header in {@link #buffer()}. A longer
 * one stays with its sender until the message is {@linkplain #receive received} or released.
 *
 * <p>The message and its buffer are valid during the handler's call. A {@linkplain #keep() kept} message is valid until
 * {@link #release()}, or until its worker closes. It holds its credits as long, so that kept messages stop their
 * sender. Using a message that is not valid throws an {@link IllegalStateException}.
 */
@Incubating
public interface ActiveMessage {
    /** The longest header, in bytes. */
    int HEADER_MAX = 128;

    /** The greatest handler number of an application; those from 0 are its own. */
    int HANDLER_MAX = 127;

    /**
     * The endpoint that the message came from.
     *
     * @return the endpoint
     */
    Endpoint source();

    /**
     * The number that the message was sent to.
     *
     * @return the handler number
     */
    int handler();

    /**
     * The memory of the message: the header at offset 0, and right behind it a payload that is here. It belongs to the
     * message alone and may be changed.
     *
     * @return native memory, aligned to 8 bytes and at least as long as what it holds; the same at each call
     */
    MemorySegment buffer();

    /**
     * The length of the header.
     *
     * @return bytes, 0 to {@link #HEADER_MAX}; the offset of a payload that is here
     */
    int headerLength();

    /**
     * The length of the payload.
     *
     * @return bytes, 0 and up
     */
    long length();

    /**
     * Whether the payload is here.
     *
     * @return false for a payload that waits at its sender, or has been received
     */
    boolean isWhole();

    /**
     * The header as a separate segment. Creates an object.
     *
     * @return a part of {@link #buffer()}
     */
    default MemorySegment header() {
        return buffer().asSlice(0, headerLength());
    }

    /**
     * The payload as a separate segment, if it is here. Creates an object.
     *
     * @return a part of {@link #buffer()}
     * @throws IllegalStateException if the payload is not here
     */
    default MemorySegment payload() {
        if (!isWhole()) {
            throw new IllegalStateException(
                    "payload of an active message is at its sender: length=" + length() + " bytes; receive it");
        }
        return buffer().asSlice(headerLength(), length());
    }

    /**
     * Keeps the message beyond the handler's call, with its credits, until {@link #release()}.
     *
     * @throws IllegalStateException outside of the handler's call
     */
    void keep();

    /**
     * Receives a payload that waits at its sender. Completes as a receive of a tagged message does:
     * {@link Status#OK}, {@link Status#TRUNCATED} if the buffer is shorter, {@link Status#CLOSED} or
     * {@link Status#PEER_FAILED} if the endpoint ends first. In the handler's call, or later for a kept message.
     *
     * @param buffer native memory for the payload, owned by the worker until the completion
     * @param offset first byte of the buffer to use
     * @param length bytes of the buffer to use, 0 and up
     * @param completion called when the receive has ended
     * @param userData a number of the caller, returned by {@link Request#userData()}
     * @return a request id, or {@link Endpoint#BACK_PRESSURE}, {@link Endpoint#CLOSED}, {@link Endpoint#PEER_FAILED}
     * @throws IllegalStateException if the payload is here, or a receive for it was posted
     */
    @CheckReturnValue
    long receive(MemorySegment buffer, long offset, long length, Completion completion, long userData);

    /**
     * Receives a payload that waits at its sender into a whole segment.
     *
     * @param buffer native memory for the payload, owned by the worker until the completion
     * @param completion called when the receive has ended
     * @return as {@link #receive(MemorySegment, long, long, Completion, long)}, whose {@code userData} is 0 here
     */
    @CheckReturnValue
    default long receive(MemorySegment buffer, Completion completion) {
        return receive(buffer, 0, buffer.byteSize(), completion, 0);
    }

    /**
     * Ends a kept message: frees its memory, returns its credits, and discards a payload that was not received. Does
     * nothing for a message that was released, or that the handler has not kept.
     */
    void release();
}
