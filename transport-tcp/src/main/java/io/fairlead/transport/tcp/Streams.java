package io.fairlead.transport.tcp;

import io.fairlead.Status;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The long outgoing transfers of one endpoint: pulled sends, long puts, and long gets of the peer, which
 * {@link MemoryFrames} has. They take turns, part by part, each part in its own frame. The next part is queued only
 * when everything before it was written to the socket. Short frames therefore never wait for more than one part.
 */
final class Streams implements Payload.Transfer {
    private enum Kind {
        SEND,
        PUT,
        GET
    }

    private static final Kind[] KINDS = Kind.values();

    private final TcpEndpointOwner endpoint;
    private final EndpointHost host;
    private final SendQueue queue;
    private final ViewCache views;
    /** Null before the first key of the peer's and its first request. */
    private @Nullable MemoryFrames memory;

    private final OperationTable sends;
    /** Pulled sends, linked by {@link PendingOperation#next}. */
    private @Nullable PendingOperation firstSend;

    private @Nullable PendingOperation lastSend;
    private int turn;

    Streams(TcpEndpointOwner endpoint, EndpointHost host, SendQueue queue, OperationTable sends, ViewCache views) {
        this.endpoint = endpoint;
        this.host = host;
        this.views = views;
        this.queue = queue;
        this.sends = sends;
    }

    /** The messages of remote memory access; created when either side first needs them. */
    MemoryFrames memory() {
        MemoryFrames known = memory;
        if (known == null) {
            known = new MemoryFrames(endpoint, host, queue, views);
            memory = known;
        }
        return known;
    }

    /** The same, or null if there have been none. */
    @Nullable MemoryFrames usedMemory() {
        return memory;
    }

    /** Whether there is no send to stream. */
    boolean isEmpty() {
        return firstSend == null;
    }

    /** Adds a send that the receiver has pulled. */
    void send(PendingOperation entry) {
        PendingOperation before = lastSend;
        if (before == null) {
            firstSend = entry;
        } else {
            before.next = entry;
        }
        lastSend = entry;
    }

    /**
     * Queues the next part, in rotation. The queue must be empty.
     *
     * @return false if there is nothing to stream
     */
    boolean tryProduce() {
        for (int i = 0; i < KINDS.length; i++) {
            Kind kind = KINDS[turn];
            turn = (turn + 1) % KINDS.length;
            switch (kind) {
                case SEND -> produceSend();
                case PUT -> {
                    if (memory != null) {
                        memory.streamPut();
                    }
                }
                case GET -> {
                    if (memory != null) {
                        memory.streamGet();
                    }
                }
            }
            if (!queue.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private void produceSend() {
        PendingOperation entry = firstSend;
        if (entry == null) {
            return;
        }
        Operation operation = Objects.requireNonNull(entry.operation, "operation");
        long from = operation.word;
        long wanted = Math.min(TcpFrame.CHUNK_MAX, entry.length - from);
        MemorySegment[] several = operation.buffers();
        MemorySegment segment = operation.buffer();
        long offset = operation.offset() + from;
        if (several != null) {
            int index = 0;
            offset = from;
            while (offset >= several[index].byteSize()) {
                offset -= several[index++].byteSize();
            }
            segment = several[index];
            wanted = Math.min(wanted, segment.byteSize() - offset);
        }
        int length = (int) wanted;
        operation.word = from + length;
        int copied = copied(length);
        int header = TcpFrame.header(TcpFrame.DATA);
        int at = reserve(header + copied);
        MemorySegment frame = queue.segment();
        TcpFrame.word(frame, at, TcpFrame.first(TcpFrame.DATA, length));
        TcpFrame.word(frame, at + 8, entry.detail);
        MemorySegment.copy(segment, offset, frame, at + header, copied);
        queueRest(segment, offset, length, copied);
    }

    private static int copied(int length) {
        return length <= SendQueue.COPY_MAX ? length : SendQueue.HEAD_COPY;
    }

    private int reserve(int length) {
        int at = queue.reserveAnswer(length);
        if (at < 0) {
            throw new IllegalStateException("an empty queue has no room: length=" + length);
        }
        return at;
    }

    private void queueRest(MemorySegment segment, long offset, int length, int copied) {
        if (copied == length) {
            partWritten(false);
        } else {
            queue.payload(segment, offset + copied, length - copied).transfer = this;
        }
    }

    /** The last queued part of a send was copied or written to the socket. */
    @Override
    public void partWritten(boolean gone) {
        PendingOperation entry = Objects.requireNonNull(firstSend, "firstSend");
        Operation operation = Objects.requireNonNull(entry.operation, "operation");
        firstSend = entry.next;
        entry.next = null;
        if (firstSend == null) {
            lastSend = null;
        }
        if (operation.word < entry.length) {
            send(entry);
        } else {
            sends.remove(entry).complete(Status.OK, operation.length());
        }
    }

    /** Drops the transfers; their owners cancel the operations. */
    void close() {
        firstSend = null;
        lastSend = null;
    }
}
