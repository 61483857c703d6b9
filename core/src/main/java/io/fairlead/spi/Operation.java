package io.fairlead.spi;

import io.fairlead.Status;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An operation that the core has checked and passes to a transport. The core pools operations: the transport must not
 * access an operation after it has completed it. Belongs to the worker's thread.
 */
public abstract class Operation {
    /** Free for the transport to link the operations of a queue. The core clears it when the operation completes. */
    public @Nullable Operation next;

    /** Free for the transport to attach its state of the operation. The core clears it when the operation completes. */
    public @Nullable Object attachment;

    /** Free for the transport to attach a number to the operation, such as the bytes moved so far. 0 at the start. */
    public long word;

    /** Creates an operation. Transports do not call this. */
    protected Operation() {}

    /**
     * The local memory: source of sends and puts, target of receives and gets.
     *
     * @return native memory, kept reachable by the core until the operation is complete
     */
    public abstract MemorySegment buffer();

    /**
     * The local memory of a gathering send: buffers whose bytes form the message in this order.
     *
     * @return the buffers; null if {@link #buffer()} holds the whole message
     */
    public abstract MemorySegment @Nullable [] buffers();

    /**
     * The offset of the first byte to use in {@link #buffer()}; 0 for a gathering send.
     *
     * @return bytes
     */
    public abstract long offset();

    /**
     * The number of bytes to move: for a receive the capacity of the buffer, for a gathering send the sum of its
     * buffers.
     *
     * @return bytes
     */
    public abstract long length();

    /**
     * The tag of a send, or the tag of a receive.
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
     * Whether a send is an active message instead of a tagged one.
     *
     * @return true if {@link #handler()} and {@link #header()} are to be sent, and no tag
     */
    public final boolean isActive() {
        return handler() >= 0;
    }

    /**
     * The handler number of an active message.
     *
     * @return 0 to 255; negative for every other operation; negative unless overridden
     */
    public int handler() {
        return -1;
    }

    /**
     * The header of an active message, which precedes its payload.
     *
     * @return native memory of at most {@link io.fairlead.ActiveMessage#HEADER_MAX} bytes, kept reachable by the core until
     *     the operation is complete; empty for every other operation, and unless overridden
     */
    public MemorySegment header() {
        return MemorySegment.NULL;
    }

    /**
     * Whether a send completes only when a receive has matched it.
     *
     * @return true for a synchronous send
     */
    public abstract boolean isSynchronous();

    /**
     * The remote memory of a put, get or atomic.
     *
     * @return the result of {@link TransportEndpoint#unpack}
     */
    public abstract RemoteMemory remote();

    /**
     * The offset of the first byte in the remote region.
     *
     * @return bytes from the region's start
     */
    public abstract long remoteOffset();

    /**
     * The kind of atomic.
     *
     * @return the change of the word
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
     * Completes the operation. A receive whose message is longer than its buffer is completed with {@code OK} too, and
     * with the message's length; the core changes the status to {@code TRUNCATED}.
     *
     * @param status the outcome
     * @param length bytes of the message or transfer
     */
    public final void complete(Status status, long length) {
        complete(status, length, 0);
    }

    /**
     * Completes the operation with a value.
     *
     * @param status the outcome
     * @param length bytes of the message or transfer
     * @param value for an atomic the previous value of the word; 0 for all others
     */
    public abstract void complete(Status status, long length, long value);
}
