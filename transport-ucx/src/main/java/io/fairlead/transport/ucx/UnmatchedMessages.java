package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one worker without a matching receive in UCX. A message that is claimed here is no longer matched by
 * UCX; it is received or discarded.
 */
final class UnmatchedMessages {
    private final long worker;
    private final Params unattended;
    private final Arena arena;
    private final MemorySegment info;
    private final MemorySegment nothing;
    /** The destination of messages that UCX may not have completely. */
    private MemorySegment sink;

    /**
     * Creates it.
     *
     * @param worker the UCX worker
     * @param unattended parameters of receives without a callback
     */
    UnmatchedMessages(long worker, Params unattended, Arena arena) {
        this.worker = worker;
        this.unattended = unattended;
        this.arena = arena;
        this.info = arena.allocate(Ucp.INFO_SIZE, Long.BYTES);
        this.nothing = arena.allocate(Long.BYTES);
        this.sink = nothing;
    }

    /** Whether there is a message to claim. */
    boolean hasAny() {
        return Ucp.hasUnmatched(worker, info.address());
    }

    /** Claims the oldest message; 0 if there is none. */
    long claim() {
        return claim(0, 0);
    }

    /** Claims the oldest message with such a UCX tag; a set bit of the mask is compared. */
    long claim(long tag, long mask) {
        return Ucp.claim(worker, tag, mask, info.address());
    }

    /** UCX's tag of the last claimed message. */
    long tag() {
        return info.get(JAVA_LONG, Ucp.INFO_TAG);
    }

    /** The length of the last claimed message. */
    long length() {
        return info.get(JAVA_LONG, Ucp.INFO_LENGTH);
    }

    /**
     * Takes a message of a closed endpoint from UCX, if it is complete. For any other message UCX keeps the request and
     * may write the rest later, into memory that lives as long as the worker.
     *
     * @return the message until the next call; null if it is lost
     */
    @Nullable MemorySegment take(long message, long length) {
        if (sink.byteSize() < length) {
            sink = arena.allocate(length, Long.BYTES);
        }
        return receive(message, sink, length) ? sink : null;
    }

    /** Frees a message. UCX has no call for that; a receive with an empty buffer does it. */
    void discard(long message) {
        boolean _ = receive(message, nothing, 0);
    }

    private boolean receive(long message, MemorySegment buffer, long length) {
        long answer = Ucp.receiveMessage(worker, buffer, 0, length, message, unattended.of(0));
        if (answer == 0 || Ucp.isError(answer)) {
            return answer == 0;
        }
        byte status = Ucp.received(answer, info.address());
        Ucp.free(answer);
        return status == Ucp.OK;
    }
}
