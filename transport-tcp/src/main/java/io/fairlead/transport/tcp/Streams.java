package io.fairlead.transport.tcp;

import io.fairlead.Status;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The long transfers of one endpoint on their way out: pulled sends, the put at the head of the {@link RemoteQueue}, and gets of
 * the peer. They take turns, part by part, each part a frame of its own; the next part is queued only when everything before it is
 * with the socket, so that short frames never stand behind more than one part.
 */
final class Streams {
    private enum Kind {
        SEND,
        PUT,
        GET
    }

    private static final Kind[] KINDS = Kind.values();

    private final TcpEndpoint endpoint;
    /** Pulled sends, linked by {@link Entry#next}. */
    private @Nullable Entry firstSend;

    private @Nullable Entry lastSend;
    /** Gets of the peer: id, region, offset and what is left. */
    private final LongRing gets = new LongRing(Frame.ASKED_MAX);

    private int turn;
    /** The kind of the part that is queued. */
    private Kind current = Kind.SEND;

    Streams(TcpEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Whether there is nothing to stream, puts aside. */
    boolean isEmpty() {
        return firstSend == null && gets.isEmpty();
    }

    /** Takes in a send that the receiver has pulled. */
    void send(Entry entry) {
        Entry before = lastSend;
        if (before == null) {
            firstSend = entry;
        } else {
            before.next = entry;
        }
        lastSend = entry;
    }

    /** Takes in a get of the peer, whose range and right are checked. */
    void get(long id, long region, long offset, long length) {
        if (!gets.add(id, region, offset, length)) {
            throw Frame.violation(Frame.name(Frame.GET), "open gets", gets.size(), "fewer than " + Frame.ASKED_MAX);
        }
    }

    /**
     * Queues the next part of whoever's turn it is. The queue must be empty.
     *
     * @return false if there is nothing to stream
     */
    boolean produce() {
        for (int i = 0; i < KINDS.length; i++) {
            current = KINDS[turn];
            turn = (turn + 1) % KINDS.length;
            boolean produced = switch (current) {
                case SEND -> produceSend();
                case PUT -> producePut();
                case GET -> produceGet();
            };
            if (produced) {
                return true;
            }
        }
        return false;
    }

    private boolean produceSend() {
        Entry entry = firstSend;
        if (entry == null) {
            return false;
        }
        Operation operation = Objects.requireNonNull(entry.operation, "operation");
        long from = operation.word;
        long wanted = Math.min(Frame.CHUNK_MAX, entry.length - from);
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
        int header = Frame.header(Frame.DATA);
        int at = reserve(header + copied);
        MemorySegment queue = endpoint.queue.segment();
        Frame.word(queue, at, Frame.first(Frame.DATA, 0, length));
        Frame.word(queue, at + 8, entry.detail);
        MemorySegment.copy(segment, offset, queue, at + header, copied);
        queueRest(segment, offset, length, copied);
        return true;
    }

    private boolean producePut() {
        Operation operation = endpoint.remote.streamedPut();
        if (operation == null) {
            return false;
        }
        long from = operation.word;
        int length = (int) Math.min(Frame.CHUNK_MAX, operation.length() - from);
        operation.word = from + length;
        int copied = copied(length);
        int at = reserve(Frame.HEADER_MAX + copied);
        MemorySegment queue = endpoint.queue.segment();
        int header = RemoteQueue.encodePutHeader(queue, at, operation, from, length);
        endpoint.queue.shorten(Frame.HEADER_MAX - header);
        MemorySegment.copy(operation.buffer(), operation.offset() + from, queue, at + header, copied);
        queueRest(operation.buffer(), operation.offset() + from, length, copied);
        return true;
    }

    /**
     * The last part of a get is copied, and its frame says so: that is what tells the peer that its data is good. A region that is closed
     * before that makes the get end with a refusal.
     */
    private boolean produceGet() {
        if (gets.isEmpty()) {
            return false;
        }
        long id = gets.field(0);
        long offset = gets.field(2);
        long left = gets.field(3);
        LocalRegion region = endpoint.host.acquireRegion(gets.field(1));
        if (region == null) {
            gets.remove();
            endpoint.answers.answer(Frame.GET_REFUSED, 0, id, 0, 0);
            return true;
        }
        try {
            boolean isLast = left <= SendQueue.COPY_MAX;
            int length = (int) (isLast ? left : Math.min(Frame.CHUNK_MAX, left - SendQueue.HEAD_COPY));
            int copied = copied(length);
            int header = Frame.header(Frame.GET_DATA);
            int at = reserve(header + copied);
            MemorySegment queue = endpoint.queue.segment();
            Frame.word(queue, at, Frame.first(Frame.GET_DATA, isLast ? Frame.LAST : 0, length));
            Frame.word(queue, at + 8, id);
            MemorySegment.copy(region.segment(), offset, queue, at + header, copied);
            gets.field(2, offset + length);
            gets.field(3, left - length);
            if (copied == length) {
                partWritten(false);
            } else {
                Payload payload = endpoint.queue.payload(MemorySegment.NULL, offset + copied, length - copied);
                payload.part = true;
                payload.ofRegion = true;
                payload.regionId = gets.field(1);
            }
            return true;
        } finally {
            region.release();
        }
    }

    private static int copied(int length) {
        return length <= SendQueue.COPY_MAX ? length : SendQueue.HEAD_COPY;
    }

    private int reserve(int length) {
        int at = endpoint.queue.reserveAnswer(length);
        if (at < 0) {
            throw new IllegalStateException("an empty queue has no room: length=" + length);
        }
        return at;
    }

    private void queueRest(MemorySegment segment, long offset, int length, int copied) {
        if (copied == length) {
            partWritten(false);
        } else {
            endpoint.queue.payload(segment, offset + copied, length - copied).part = true;
        }
    }

    /** The part that was queued last is copied or with the socket; {@code gone} if its region was closed before that. */
    void partWritten(boolean gone) {
        switch (current) {
            case SEND -> sendPartWritten();
            case PUT -> {
                Operation operation = endpoint.remote.streamedPut();
                if (operation != null && operation.word == operation.length()) {
                    endpoint.remote.finishPut(operation);
                }
            }
            case GET -> {
                if (gone) {
                    endpoint.answers.answer(Frame.GET_REFUSED, 0, gets.field(0), 0, 0);
                    gets.remove();
                } else if (gets.field(3) == 0) {
                    gets.remove();
                } else {
                    gets.rotate();
                }
            }
        }
    }

    private void sendPartWritten() {
        Entry entry = Objects.requireNonNull(firstSend, "firstSend");
        Operation operation = Objects.requireNonNull(entry.operation, "operation");
        firstSend = entry.next;
        entry.next = null;
        if (firstSend == null) {
            lastSend = null;
        }
        if (operation.word < entry.length) {
            send(entry);
        } else {
            endpoint.sends.remove(entry).complete(Status.OK, operation.length());
        }
    }

    /** Forgets what was streamed; the operations are cancelled by those that hold them. */
    void close() {
        firstSend = null;
        lastSend = null;
        gets.clear();
    }
}
