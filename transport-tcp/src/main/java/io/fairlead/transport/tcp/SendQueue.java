package io.fairlead.transport.tcp;

import io.fairlead.Status;
import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.Operation;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that wait for the socket of one endpoint: frames that were copied into native buffers, and between them
 * payloads that are written in place.
 *
 * <p>Every write to the socket takes one buffer. A gathering write would save a system call per payload, but the JDK
 * allocates for each of its buffers over a foreign segment. Instead, the beginning of a long payload is copied behind
 * its header. Header and payload are then sent in full packets all the same.
 */
final class SendQueue {
    /** Up to this length a copy costs less than the system call that it saves. */
    static final int COPY_MAX = 32 << 10;
    /** The length of a longer payload's beginning that is copied behind its header. */
    static final int HEAD_COPY = 4 << 10;
    /** The maximum part of a gathering send that is copied; 64 of them must fit an empty queue. */
    static final int GATHER_COPY_MAX = 1 << 10;
    /** Capacity beyond that of posts, for answers and control frames, which must not starve behind them. */
    private static final int RESERVE = 16 << 10;

    private static final Payload[] NO_PAYLOADS = {};

    /** The result of a write. */
    enum Outcome {
        /** Everything queued was written to the socket. */
        EMPTY,
        /** The socket is not writable now. */
        BLOCKED,
        /** The budget of the turn was used; the socket may be writable. */
        MORE
    }

    private final EndpointHost host;
    private final Connection connection;
    private final WorkerMemory memory;
    private final BufferPool pool;
    private final int copiedMax;
    private final OperationTable sends;

    /** The buffers with queued bytes, linked, oldest first. */
    private BufferPool.@Nullable Buffer first;

    private BufferPool.@Nullable Buffer last;
    /** Copied bytes that wait for the socket. */
    private int copied;
    /** Copied bytes that were written to the socket. */
    private long copiedWritten;

    private Payload[] payloads = NO_PAYLOADS;
    private int firstPayload;
    private int payloadCount;
    private long written;
    private boolean blocked;

    SendQueue(EndpointHost host, Connection connection, WorkerMemory memory, int copiedMax, OperationTable sends) {
        this.host = host;
        this.connection = connection;
        this.memory = memory;
        this.pool = memory.buffers();
        this.copiedMax = copiedMax;
        this.sends = sends;
    }

    boolean isEmpty() {
        return copied == 0 && payloadCount == 0;
    }

    /** Whether the socket was not writable at the last attempt. */
    boolean isBlocked() {
        return blocked;
    }

    /** Queued bytes, without payloads. */
    int copied() {
        return copied;
    }

    /** The number of bytes written to the socket. */
    long written() {
        return written;
    }

    /** The memory of the last reservation. */
    MemorySegment segment() {
        return Objects.requireNonNull(last, "last").segment;
    }

    /** The same memory as a buffer, for absolute writes. */
    ByteBuffer bytes() {
        return Objects.requireNonNull(last, "last").bytes.clear();
    }

    /**
     * Reserves capacity for a post's copy. An empty queue accepts a frame of any length, so none waits forever.
     *
     * @param length length of the frame in bytes
     * @return its position in {@link #segment()}, or -1 if the queue is full
     */
    int reserve(int length) {
        return copied + length > copiedMax && copied > 0 ? -1 : append(length);
    }

    /** Reserves capacity for a frame that no post has caused, as {@link #reserve} does. */
    int reserveAnswer(int length) {
        return copied + length > copiedMax + RESERVE && copied > 0 ? -1 : append(length);
    }

    private int append(int length) {
        BufferPool.Buffer filled = last;
        if (filled == null || filled.tail + length > BufferPool.CAPACITY) {
            BufferPool.Buffer fresh = pool.take();
            if (filled == null) {
                first = fresh;
            } else {
                filled.next = fresh;
            }
            last = fresh;
            filled = fresh;
        }
        int at = filled.tail;
        filled.tail += length;
        copied += length;
        return at;
    }

    /** Shortens the last reservation. */
    void shorten(int length) {
        Objects.requireNonNull(last, "last").tail -= length;
        copied -= length;
    }

    /** The number of queued payloads. */
    int payloads() {
        return payloadCount;
    }

    /** Withdraws the last reservation, and the payloads above the given number. */
    void withdraw(int length, int payloadsBefore) {
        shorten(length);
        while (payloadCount > payloadsBefore) {
            payloadCount--;
            payloads[(firstPayload + payloadCount) & (payloads.length - 1)].clear();
        }
    }

    /** Queues bytes in place, after everything that is queued now. */
    Payload payload(MemorySegment segment, long offset, long length) {
        return payloadBefore(0, segment, offset, length);
    }

    /** Queues bytes in place, the given number of bytes before the end of the queue. */
    Payload payloadBefore(int behind, MemorySegment segment, long offset, long length) {
        if (payloadCount == payloads.length) {
            growPayloads();
        }
        Payload payload = payloads[(firstPayload + payloadCount) & (payloads.length - 1)];
        payloadCount++;
        payload.mark = copiedWritten + copied - behind;
        payload.segment = segment;
        payload.offset = offset;
        payload.remaining = length;
        return payload;
    }

    private void growPayloads() {
        Payload[] larger = new Payload[Math.max(4, payloads.length * 2)];
        for (int i = 0; i < larger.length; i++) {
            larger[i] = i < payloadCount ? payloads[(firstPayload + i) & (payloads.length - 1)] : new Payload();
        }
        payloads = larger;
        firstPayload = 0;
    }

    /**
     * Writes the queued bytes.
     *
     * @param budget maximum number of bytes in this turn
     * @return the result
     * @throws IOException if the connection is broken
     */
    Outcome write(long budget) throws IOException {
        long turnEnd = written + budget;
        blocked = false;
        while (!isEmpty()) {
            if (written >= turnEnd) {
                return Outcome.MORE;
            }
            long before = payloadCount == 0 ? copied : payloads[firstPayload].mark - copiedWritten;
            if (!(before > 0 ? writeCopied((int) before) : writePayload(payloads[firstPayload]))) {
                blocked = true;
                return Outcome.BLOCKED;
            }
        }
        return Outcome.EMPTY;
    }

    /** Writes copied bytes, up to the end of a buffer. */
    private boolean writeCopied(int wanted) throws IOException {
        BufferPool.Buffer from = Objects.requireNonNull(first, "first");
        int end = Math.min(from.tail, from.head + wanted);
        int count = connection.write(from.bytes.limit(end).position(from.head));
        from.head += count;
        copied -= count;
        copiedWritten += count;
        written += count;
        boolean wroteAll = from.head == end;
        if (from.head == from.tail) {
            removeFirst(from);
        }
        return wroteAll;
    }

    private void removeFirst(BufferPool.Buffer emptied) {
        first = emptied.next;
        if (first == null) {
            last = null;
        }
        pool.giveBack(emptied);
    }

    private boolean writePayload(Payload payload) throws IOException {
        if (payload.ofRegion) {
            LocalRegion region = host.acquireRegion(payload.regionId);
            if (region != null) {
                try {
                    return writePayload(payload, region.segment());
                } finally {
                    region.release();
                }
            }
            // The frame's header has promised this number of bytes; the refusal that follows invalidates them.
            payload.ofRegion = false;
            payload.gone = true;
            payload.segment = memory.zeros();
        }
        return writePayload(payload, payload.segment);
    }

    private boolean writePayload(Payload payload, MemorySegment from) throws IOException {
        ByteBuffer bytes = payload.gone
                ? memory.views().view(from, 0, Math.min(payload.remaining, from.byteSize()))
                : memory.views().view(from, payload.offset, payload.remaining);
        int wanted = bytes.remaining();
        int count = connection.write(bytes);
        payload.offset += count;
        payload.remaining -= count;
        written += count;
        if (payload.remaining == 0) {
            firstPayload = (firstPayload + 1) & (payloads.length - 1);
            payloadCount--;
            finish(payload);
        }
        return count == wanted;
    }

    private void finish(Payload payload) {
        Operation operation = payload.operation;
        PendingOperation unmatched = payload.unmatched;
        Payload.Transfer transfer = payload.transfer;
        boolean gone = payload.gone;
        payload.clear();
        if (transfer != null) {
            transfer.partWritten(gone);
        } else if (operation != null) {
            operation.complete(Status.OK, operation.length());
        } else if (unmatched != null) {
            sends.payloadWritten(unmatched);
        }
    }

    /** Drops everything; operations whose payloads were queued are cancelled. */
    void close() {
        while (payloadCount > 0) {
            Payload payload = payloads[firstPayload];
            firstPayload = (firstPayload + 1) & (payloads.length - 1);
            payloadCount--;
            Operation operation = payload.operation;
            payload.clear();
            if (operation != null) {
                operation.complete(Status.CANCELLED, 0);
            }
        }
        for (BufferPool.Buffer buffer = first; buffer != null; buffer = first) {
            removeFirst(buffer);
        }
        copied = 0;
    }
}
