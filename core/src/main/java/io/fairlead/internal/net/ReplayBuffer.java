package io.fairlead.internal.net;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records that one side has sent and the other has not reported as read, and the records that still wait for the
 * socket. They lie here as they are sent, in a ring; a record does not wrap. The ring grows to its limit.
 *
 * <p>Positions of the stream count content only, not headers.
 */
final class ReplayBuffer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplayBuffer.class);

    private static final int CAPACITY_MIN = 16 << 10;
    /** A record at the end of the ring is not shorter than this, if there is room at its beginning. */
    private static final int ROOM_MIN = 1 << 10;
    /** Room behind the data for the record that ends the stream. */
    private static final int END_ROOM = StreamRecord.HEADER + 1;

    private final int capacityMax;
    private Arena arena = Arena.ofConfined();
    private ByteBuffer bytes;

    /** The oldest record, the first byte that the socket has not taken, and the end. */
    private int head;

    private int sent;
    private int tail;
    /** The end of the older records, if the newer ones begin anew at 0; otherwise -1. */
    private int wrap = -1;

    /** The position of the stream at {@link #head}. */
    private long headCount;
    /** How far the peer has read. */
    private long acknowledged;
    /** The end of the stream so far. */
    private long written;

    /**
     * Creates an empty buffer.
     *
     * @param capacityMax the limit of its memory in bytes
     */
    ReplayBuffer(int capacityMax) {
        this.capacityMax = capacityMax;
        this.bytes = allocate(Math.min(CAPACITY_MIN, capacityMax));
    }

    private ByteBuffer allocate(int capacity) {
        return arena.allocate(capacity, 64).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** How much content was appended, from the beginning. */
    long written() {
        return written;
    }

    /** How much content the peer has read. */
    long acknowledged() {
        return acknowledged;
    }

    // Writing.

    /**
     * Appends a record with as much content as there is room for, and moves the source's position.
     *
     * @param read how far this side has read the peer's stream
     * @return bytes of content; 0 if the buffer is full
     */
    int append(ByteBuffer source, long read) {
        int wanted = Math.min(source.remaining(), StreamRecord.CONTENT_MAX);
        int length = Math.min(wanted, room(StreamRecord.HEADER + wanted + END_ROOM) - StreamRecord.HEADER - END_ROOM);
        if (length <= 0) {
            return 0;
        }
        bytes.put(tail + StreamRecord.HEADER, source, source.position(), length);
        source.position(source.position() + length);
        append(StreamRecord.DATA, length, read);
        return length;
    }

    /** Appends the record that ends the stream; false if there is no room. */
    boolean tryAppendEnd(long read) {
        if (room(END_ROOM) < END_ROOM) {
            return false;
        }
        bytes.put(tail + StreamRecord.HEADER, (byte) 0);
        append(StreamRecord.END, 1, read);
        return true;
    }

    private void append(int kind, int length, long read) {
        bytes.putLong(tail, StreamRecord.of(kind, length, read));
        tail += StreamRecord.HEADER + length;
        written += length;
    }

    /** The room behind the last record, in one piece: as much as wanted if that is possible at all. */
    private int room(int wanted) {
        while (true) {
            if (wrap < 0 && head == tail) {
                head = 0;
                sent = 0;
                tail = 0;
            }
            // Full must differ from empty.
            int room = wrap < 0 ? bytes.capacity() - tail : head - tail - 1;
            if (room >= wanted) {
                return room;
            }
            if (wrap < 0 && head > wanted) {
                wrap();
            } else if (bytes.capacity() < capacityMax) {
                grow();
            } else if (wrap < 0 && room < ROOM_MIN && head > ROOM_MIN) {
                wrap();
            } else {
                return room;
            }
        }
    }

    private void wrap() {
        wrap = tail;
        if (sent == tail) {
            sent = 0;
        }
        tail = 0;
    }

    private void grow() {
        Arena before = arena;
        ByteBuffer old = bytes;
        arena = Arena.ofConfined();
        bytes = allocate((int) Math.min(capacityMax, 2L * old.capacity()));
        int older = (wrap < 0 ? tail : wrap) - head;
        bytes.put(0, old, head, older);
        if (wrap >= 0) {
            bytes.put(older, old, 0, tail);
            sent = sent < head ? older + sent : sent - head;
            tail += older;
            wrap = -1;
        } else {
            sent -= head;
            tail -= head;
        }
        head = 0;
        free(before);
    }

    /** Sends what the socket has not taken; returns whether nothing is left. */
    boolean trySend(WritableByteChannel socket) throws IOException {
        while (sent != tail) {
            int end = wrap >= 0 && sent >= head ? wrap : tail;
            try {
                socket.write(bytes.limit(end).position(sent));
            } finally {
                sent = bytes.position();
                bytes.clear();
            }
            if (sent < end) {
                return false;
            }
            if (sent == wrap) {
                sent = 0;
            }
        }
        return true;
    }

    // What the peer has read.

    /**
     * The peer has reported how far it has read, by the low bits of that position.
     *
     * @return whether that was news
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if it was not sent that much
     */
    boolean acknowledge(int read) {
        int more = read - (int) acknowledged;
        if (more <= 0) {
            // The report is of a record that was sent again.
            return false;
        }
        if (more > written - acknowledged) {
            throw violation(acknowledged + more);
        }
        acknowledged += more;
        release();
        return true;
    }

    /** Frees the records that the peer has read whole. */
    private void release() {
        while (headCount < acknowledged) {
            int length = StreamRecord.length(bytes.getLong(head));
            if (headCount + length > acknowledged) {
                return;
            }
            int end = head + StreamRecord.HEADER + length;
            boolean whole = wrap >= 0 ? sent < head || sent >= end : sent >= end;
            if (!whole) {
                throw violation(acknowledged);
            }
            headCount += length;
            head = end;
            if (head == wrap) {
                head = 0;
                wrap = -1;
            }
        }
    }

    /**
     * The next socket begins where the peer has stopped to read.
     *
     * @param read how far the peer has read
     * @return bytes of content that are sent again, or for the first time
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if the position is not kept, or was never sent
     */
    long rewind(long read) {
        if (read < acknowledged || read > written) {
            throw violation(read);
        }
        acknowledged = read;
        release();
        int cut = (int) (acknowledged - headCount);
        if (cut > 0) {
            // The rest of a record gets a header of its own, in the place of what was read.
            long header = bytes.getLong(head);
            head += cut;
            headCount += cut;
            bytes.putLong(head, StreamRecord.shortened(header, cut));
        }
        sent = head;
        return written - acknowledged;
    }

    private FairleadException violation(long read) {
        return new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                "peer says that it has read what it was not sent: read=" + read + ", known as read=" + acknowledged
                        + ", sent=" + written + " bytes");
    }

    @Override
    public void close() {
        free(arena);
    }

    private static void free(Arena arena) {
        try {
            arena.close();
        } catch (WrongThreadException confined) {
            LOG.debug("memory of a stream stays with the thread of a worker that has ended", confined);
        }
    }
}
