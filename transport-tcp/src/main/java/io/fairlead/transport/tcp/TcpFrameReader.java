package io.fairlead.transport.tcp;

import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.transport.tcp.ReceiveBuffers.Buffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Parses the byte stream of one endpoint. It reads into a receive buffer of the worker, which all endpoints share.
 * Between two reads it keeps only the beginning of a header, unless it must continue in the next turn. The socket reads
 * a long payload directly to its destination.
 */
final class TcpFrameReader {
    /** Handles the parsed frames. */
    interface Handler {
        /** The maximum payload of a frame of a type that is not a message of remote memory access. */
        int payloadMax(int type);

        /**
         * Handles a frame.
         *
         * @param reader the caller
         * @param first its first word, checked
         * @param at its position in the receive buffer
         * @param available the number of received bytes after its header
         * @return the number of consumed bytes; the rest of the payload goes to the sink passed to {@link #receive}
         */
        int handle(TcpFrameReader reader, long first, int at, int available);
    }

    /** A shorter rest of a payload is read together with the frames after it. */
    private static final int DIRECT_MIN = 8 << 10;
    /** The next read after a long payload is short: any further bytes would have to be copied. */
    private static final int SHORT_READ = 1 << 10;
    /** Maximum reads of one endpoint before others have their turn. */
    private static final int READS_MAX = 8;
    /**
     * Frames before completions and other endpoints have their turn. Completions post receives for the next frames,
     * which saves a copy of those; one read returns thousands of short ones.
     */
    private static final int FRAMES_MAX = 32;

    private static final byte[] NOTHING = {};

    private final TcpEndpointOwner endpoint;
    private final EndpointHost host;
    private final Connection connection;
    private final ReceiveBuffers buffers;
    private final Handler handler;

    /** The buffer of the last read. */
    private Buffer buffer;
    /** The buffer has unparsed bytes, so no other endpoint reads into it. */
    private boolean owner;

    private byte[] carried = NOTHING;
    private int carriedCount;
    private @Nullable Sink sink;
    private int missing;
    private boolean afterLong;
    /** The position of the unparsed bytes. */
    private int unparsedAt;

    private int unparsedEnd;
    /** Received bytes are discarded; only the end of the stream still matters. */
    private boolean discarding;

    TcpFrameReader(
            TcpEndpointOwner endpoint,
            EndpointHost host,
            Connection connection,
            ReceiveBuffers buffers,
            Handler handler) {
        this.endpoint = endpoint;
        this.host = host;
        this.connection = connection;
        this.buffers = buffers;
        this.buffer = buffers.shared();
        this.handler = handler;
    }

    /** Whether the stream is between two frames. */
    boolean isBetweenFrames() {
        return sink == null && carriedCount == 0;
    }

    /**
     * Reads available bytes, or continues with bytes of the last read.
     *
     * @return the number of reads that returned bytes
     * @throws IOException if the connection is broken
     */
    int read() throws IOException {
        if (hasUnparsed()) {
            parse(unparsedAt, unparsedEnd);
            return 1;
        }
        for (int reads = 0; reads < READS_MAX; reads++) {
            Sink open = sink;
            ByteBuffer target = open == null || missing < DIRECT_MIN ? null : open.target(missing);
            int wanted;
            int count;
            if (open != null && target != null) {
                wanted = target.remaining();
                count = readInto(open, target);
            } else {
                ByteBuffer bytes = shared();
                wanted = bytes.remaining();
                count = connection.read(bytes);
                if (count > 0) {
                    host.heard();
                    afterLong = false;
                    if (carriedCount > 0) {
                        bytes.put(0, carried, 0, carriedCount);
                    }
                    parse(0, carriedCount + count);
                }
            }
            if (count < 0) {
                endpoint.ended();
                return reads;
            }
            if (count == 0) {
                return reads;
            }
            if (count < wanted || hasUnparsed() || endpoint.isStopped() || buffers.isLast()) {
                return reads + 1;
            }
        }
        return READS_MAX;
    }

    /** The shared buffer of all endpoints, limited to the allowed read. */
    private ByteBuffer shared() {
        buffer = buffers.shared();
        int room = buffers.isLast() ? ReceiveBuffers.LAST_BYTES : ReceiveBuffers.BYTES - carriedCount;
        return buffer.bytes
                .limit(carriedCount + (afterLong ? SHORT_READ : room))
                .position(carriedCount);
    }

    private int readInto(Sink open, ByteBuffer target) throws IOException {
        int count = 0;
        try {
            count = connection.read(target);
        } finally {
            open.filled(Math.max(0, count));
        }
        if (count > 0) {
            host.heard();
            missing -= count;
            if (missing == 0) {
                afterLong = true;
                sink = null;
                open.end();
            }
        }
        return count;
    }

    /** Discards everything that the peer sends from now on. */
    void ignoreRest() {
        discarding = true;
        carriedCount = 0;
    }

    private boolean hasUnparsed() {
        return unparsedEnd > 0;
    }

    private void parse(int from, int end) {
        int at = from;
        int frames = 0;
        unparsedEnd = 0;
        while (at < end && !discarding && !endpoint.isStopped()) {
            if (frames == FRAMES_MAX && tryOwn()) {
                unparsedAt = at;
                unparsedEnd = end;
                endpoint.readSoon();
                return;
            }
            Sink open = sink;
            if (open != null) {
                int count = Math.min(missing, end - at);
                open.take(buffer.segment, at, count);
                at += count;
                missing -= count;
                if (missing == 0) {
                    sink = null;
                    open.end();
                }
            } else {
                int taken = frame(at, end - at);
                if (taken == 0) {
                    break;
                }
                at += taken;
                frames++;
            }
        }
        if (!discarding && !endpoint.isStopped()) {
            carry(at, end);
        }
        disown();
    }

    /** Takes the buffer for exclusive use; false if it is the one that must stay shared. */
    private boolean tryOwn() {
        if (!owner) {
            owner = buffers.tryTakeShared();
        }
        return owner;
    }

    private void disown() {
        if (owner) {
            owner = false;
            buffers.giveBack(buffer);
        }
    }

    /** Handles the frame at the front, if its header is complete; returns the number of consumed bytes. */
    private int frame(int at, int available) {
        if (available < TcpFrame.HEADER_MIN) {
            return 0;
        }
        long first = TcpFrame.word(buffer.segment, at);
        int type = TcpFrame.type(first);
        int header = TcpFrame.check(first, handler.payloadMax(type));
        int payload = (int) TcpFrame.payload(first);
        // A control frame and a header are short and are passed on complete; other payloads may arrive in pieces.
        int needed = header + (type == TcpFrame.CONTROL || type == TcpFrame.ACTIVE_ANNOUNCE ? payload : 0);
        if (available < needed) {
            return 0;
        }
        return needed + handler.handle(this, first, at, available - needed);
    }

    /**
     * Sets the destination of the current frame's payload.
     *
     * @param to its destination
     * @param length its length
     */
    void receive(Sink to, int length) {
        if (length == 0) {
            to.end();
        } else {
            sink = to;
            missing = length;
        }
    }

    /** The receive buffer with the current frame. */
    MemorySegment buffer() {
        return buffer.segment;
    }

    /** A view of some bytes of the current frame. */
    ByteBuffer bytes(int at, int length) {
        return buffer.bytes.limit(at + length).position(at);
    }

    private void carry(int from, int end) {
        int count = end - from;
        if (count > carried.length) {
            carried = new byte
                    [count <= TcpFrame.HEADER_MAX ? TcpFrame.HEADER_MAX : TcpFrame.HEADER_MIN + TcpFrame.CONTROL_MAX];
        }
        carriedCount = count;
        if (count == 0) {
            return;
        }
        buffer.bytes.limit(end).get(from, carried, 0, carriedCount);
    }

    void close() {
        disown();
        Sink open = sink;
        sink = null;
        if (open != null) {
            open.abandon();
        }
    }
}
