package io.fairlead.transport.tcp;

import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.transport.tcp.ReceiveBuffers.Buffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the byte stream of one endpoint apart. It reads into a receive buffer of the worker, which all endpoints share, and
 * keeps only the beginning of a header between two reads, unless it has to go on in the next turn. A long payload goes from the
 * socket to where it belongs.
 */
final class TcpFrameReader {
    /** Works on the frames that the reader finds. */
    interface Handler {
        /** The longest payload that a frame of a type may have, where it is no message of remote memory. */
        int payloadMax(int type);

        /**
         * Works on a frame.
         *
         * @param reader who reads it
         * @param first its first word, checked
         * @param at where it is in the receive buffer
         * @param available how many bytes there are behind its header
         * @return how many of those were used up; what else the payload has goes to the sink that the reader was told
         */
        int handle(TcpFrameReader reader, long first, int at, int available);
    }

    /** Below this, what is missing of a payload is read together with the frames behind it. */
    private static final int DIRECT_MIN = 8 << 10;
    /** After a long payload the next header is fetched with few bytes behind it, because those would have to be copied. */
    private static final int SHORT_READ = 1 << 10;
    /** Reads that one endpoint may do before others have their turn. */
    private static final int READS_MAX = 8;
    /**
     * Frames after which completions and other endpoints have their turn. Completions post receives for the frames behind, which spares a copy of
     * those; a read brings thousands of short ones.
     */
    private static final int FRAMES_MAX = 32;

    private final TcpEndpointOwner endpoint;
    private final EndpointHost host;
    private final Connection connection;
    private final ReceiveBuffers buffers;
    private final Handler handler;

    /** What was read last is in it. */
    private Buffer buffer;
    /** Nobody else reads into the buffer, because some of what is in it is still to be taken apart. */
    private boolean owner;

    private byte[] carried = new byte[TcpFrame.HEADER_MAX];
    private int carriedCount;
    private @Nullable Sink sink;
    private int missing;
    private boolean afterLong;
    /** What of the buffer is still to be taken apart. */
    private int unparsedAt;

    private int unparsedEnd;
    /** What comes is thrown away; only the end of the stream still matters. */
    private boolean deaf;

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

    /** Whether the stream stands between two frames. */
    boolean isBetweenFrames() {
        return sink == null && carriedCount == 0;
    }

    /**
     * Reads what is there, or goes on with what was read before.
     *
     * @return how many reads brought something
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

    /** The buffer that all endpoints share, limited to what may be read. */
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

    /** Takes nothing more of what the peer sends. */
    void ignoreRest() {
        deaf = true;
        carriedCount = 0;
    }

    private boolean hasUnparsed() {
        return unparsedEnd > 0;
    }

    private void parse(int from, int end) {
        int at = from;
        int frames = 0;
        unparsedEnd = 0;
        while (at < end && !deaf && !endpoint.isStopped()) {
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
        if (!deaf && !endpoint.isStopped()) {
            carry(at, end);
        }
        disown();
    }

    /** Has the buffer to itself from now on; false if it is the one that all have to share. */
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

    /** Works on the frame at the front, if its header is all here; returns how many bytes of it were used up. */
    private int frame(int at, int available) {
        if (available < TcpFrame.HEADER_MIN) {
            return 0;
        }
        long first = TcpFrame.word(buffer.segment, at);
        int type = TcpFrame.type(first);
        int header = TcpFrame.check(first, handler.payloadMax(type));
        int payload = (int) TcpFrame.payload(first);
        // A control frame is short and is handed on whole; other payloads may come in pieces.
        int needed = header + (type == TcpFrame.CONTROL ? payload : 0);
        if (available < needed) {
            return 0;
        }
        return needed + handler.handle(this, first, at, available - needed);
    }

    /**
     * Announces the payload of the frame being handled.
     *
     * @param to where it goes
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

    /** The receive buffer, in which the frame being handled is. */
    MemorySegment buffer() {
        return buffer.segment;
    }

    /** A view of some bytes of the frame being handled. */
    ByteBuffer bytes(int at, int length) {
        return buffer.bytes.limit(at + length).position(at);
    }

    private void carry(int from, int end) {
        carriedCount = end - from;
        if (carriedCount == 0) {
            return;
        }
        if (carriedCount > carried.length) {
            carried = new byte[TcpFrame.HEADER_MIN + TcpFrame.CONTROL_MAX];
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
