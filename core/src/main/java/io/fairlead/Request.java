package io.fairlead;

import java.util.Optional;

/**
 * The outcome of one operation, as its {@link Completion} sees it.
 *
 * <p>A flyweight: valid inside the completion only, on the worker's thread only. Copy what is needed later.
 */
public interface Request {
    /**
     * The id that the posting call returned.
     *
     * @return a positive number, not used again for the next million operations of the worker
     */
    long id();

    /**
     * How the operation ended.
     *
     * @return never one of the statuses that only a posting call returns
     */
    Status status();

    /**
     * The tag of the message that a receive matched, or the tag that a send was posted with.
     *
     * @return the 48-bit application tag; 0 for operations without one
     */
    long tag();

    /**
     * The endpoint that a received message came from, or that the operation was posted on.
     *
     * @return empty only for a receive from any endpoint that matched nothing
     */
    Optional<Endpoint> source();

    /**
     * Bytes of the message or transfer. For {@link Status#TRUNCATED} the sender's length, which exceeds the buffer's.
     *
     * @return bytes, 0 and up
     */
    long length();

    /**
     * The value that a fetching atomic read at the target before it changed it.
     *
     * @return the old value; 0 for other operations
     */
    long value();

    /**
     * The number that the caller passed to the posting call.
     *
     * @return the caller's number, unchanged
     */
    long userData();
}
