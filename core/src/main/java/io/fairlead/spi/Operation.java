package io.fairlead.spi;

import io.fairlead.Status;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An operation that the core has checked and handed to a transport. Pooled by the core; the transport forgets it once it has completed it.
 */
public abstract class Operation {
    /** For the transport: the next operation of a queue of its own. Cleared by the core when the operation ends. */
    public @Nullable Operation next;

    /** For the transport: what it keeps about the operation. Cleared by the core when the operation ends. */
    public @Nullable Object attachment;

    /** For the transport: a number that it keeps about the operation, such as the bytes moved so far. 0 at the start. */
    public long word;

    /** Creates an operation; the core's only. */
    protected Operation() {}

    /**
     * The local memory: source of sends and puts, target of receives and gets.
     *
     * @return native memory, kept reachable by the core until the operation is complete
     */
    public abstract MemorySegment buffer();

    /**
     * The local memory of a gathering send.
     *
     * @return null if {@link #buffer()} is the whole message
     */
    public abstract MemorySegment @Nullable [] buffers();

    /**
     * First byte of {@link #buffer()} to use; 0 for a gathering send.
     *
     * @return bytes
     */
    public abstract long offset();

    /**
     * Bytes to move; for a receive the room in the buffer, for a gathering send the sum.
     *
     * @return bytes
     */
    public abstract long length();

    /**
     * The tag of a send, or the tag that a receive asks for.
     *
     * @return 48 bits
     */
    public abstract long tag();

    /**
     * The bits of the tag that a receive compares.
     *
     * @return 48 bits; a set bit is compared
     */
    public abstract long tagMask();

    /**
     * Whether a send completes only when it is matched.
     *
     * @return true for a synchronous send
     */
    public abstract boolean isSynchronous();

    /**
     * The remote memory of a put, get or atomic.
     *
     * @return what {@link TransportEndpoint#unpack} made
     */
    public abstract RemoteMemory remote();

    /**
     * First byte to touch in the remote region.
     *
     * @return bytes from the region's start
     */
    public abstract long remoteOffset();

    /**
     * What an atomic does.
     *
     * @return the operation
     */
    public abstract AtomicOperation atomic();

    /**
     * The operand of an atomic, or the signal of a put.
     *
     * @return 64 bits
     */
    public abstract long operand();

    /**
     * The expected value of a compare-and-swap.
     *
     * @return 64 bits
     */
    public abstract long compare();

    /**
     * Whether a put delivers a signal.
     *
     * @return true for put-with-signal
     */
    public abstract boolean hasSignal();

    /**
     * Ends the operation. A receive whose message is longer than its room ends with {@code OK} too: the core makes it TRUNCATED.
     *
     * @param status how it ended
     * @param length bytes of the message or transfer
     */
    public final void complete(Status status, long length) {
        complete(status, length, 0);
    }

    /**
     * Ends the operation with a value.
     *
     * @param status how it ended
     * @param length bytes of the message or transfer
     * @param value the old value of an atomic
     */
    public abstract void complete(Status status, long length, long value);
}
