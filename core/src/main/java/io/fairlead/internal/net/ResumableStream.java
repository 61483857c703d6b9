package io.fairlead.internal.net;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Selectable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A byte stream that outlives its sockets. Each side counts what it has read, and keeps what it has written until the
 * peer has reported it as read. When a socket breaks, the stream is down: reads and writes move nothing, like those of
 * a peer that neither sends nor reads. On the next socket it goes on where each side has stopped to read, so the layers
 * above lose, repeat and reorder nothing.
 *
 * <p>The bytes travel in {@linkplain StreamRecord records}. A partially sent record is reported as one byte short, and
 * the writer retries with that byte.
 */
public final class ResumableStream implements LingeringConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ResumableStream.class);

    /** The least limit of {@code failover.replay-bytes}: several times what a reader leaves unreported. */
    public static final int REPLAY_MIN = 256 << 10;

    /** How much may be read of much data without a report of it. */
    private static final int REPORT_AT = 64 << 10;
    /** Longer content is read to its place directly; shorter is moved there. */
    private static final int DIRECT_MIN = 8 << 10;

    /** What follows the loss of a socket. */
    public interface Owner {
        /** The socket is closed, and the stream down. */
        void down(IOException cause);

        /** The stream is closed for good. */
        void closed();
    }

    private final Owner owner;
    private final boolean connector;
    private final ReplayBuffer replay;
    /** What is read at most without a report to the peer. */
    private int reportAt = 1;

    private SocketChannel channel;
    private boolean up = true;
    private boolean closed;
    private @Nullable Consumer<LingeringConnection> linger;

    private @Nullable Selector selector;
    private @Nullable Selectable user;
    /** A write found the buffer full: the peer's next report makes it possible. */
    private boolean full;

    // Reading.

    private long read;
    /** What of it the peer knows. */
    private long reported;
    /** Content of the current record that is missing, and the kind of the record. */
    private int missing;

    private int kind;
    /** The first bytes of the next header. */
    private long header;

    private int headerLength;
    /** A header alone, for reading and for reports. */
    private final ByteBuffer alone =
            ByteBuffer.allocateDirect(StreamRecord.HEADER).order(ByteOrder.LITTLE_ENDIAN);

    private final ByteBuffer report = ByteBuffer.allocateDirect(StreamRecord.HEADER)
            .order(ByteOrder.LITTLE_ENDIAN)
            .limit(0);
    /** The peer has ended its output. */
    private boolean ended;
    /** A read has returned that. */
    private boolean endReported;

    // Writing.

    /** The socket has not taken all of the last record: the writer offers its last byte again. */
    private boolean owed;

    private boolean outputEnded;

    /**
     * Creates a stream over a connected socket, which belongs to it from now on.
     *
     * @param connector whether this side connects again
     * @param replayMax the limit of what is kept for another socket, in bytes; at least {@link #REPLAY_MIN}
     */
    public ResumableStream(Owner owner, SocketChannel channel, boolean connector, int replayMax) {
        this.owner = owner;
        this.connector = connector;
        this.channel = channel;
        this.replay = new ReplayBuffer(replayMax);
    }

    /** Much is to be read: not everything is worth a report of its own. */
    public void reportLess() {
        reportAt = REPORT_AT;
    }

    /** Whether it has a socket. */
    public boolean isUp() {
        return up;
    }

    /** Whether the peer has ended its output, and ignores what it has not read. */
    public boolean hasEnded() {
        return ended;
    }

    /** Whether it was closed for good. */
    public boolean isClosed() {
        return closed;
    }

    /** How much of the peer's stream was read. Final while the stream is down. */
    public long bytesRead() {
        return read;
    }

    // Sockets.

    /** Closes the socket, whose bytes belong to no stream from now on. */
    public void suspend(IOException cause) {
        if (!up) {
            return;
        }
        up = false;
        SocketConnection.close(channel);
        missing = 0;
        headerLength = 0;
        header = 0;
        report.limit(0);
        if (!closed && !isOver()) {
            owner.down(cause);
        }
    }

    /**
     * Goes on over another socket.
     *
     * @param next a connected socket, not blocking; belongs to the stream if this does not throw
     * @param peerRead how far the peer has read
     * @return bytes that were sent before, or were to be sent, and are sent now
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if the peer cannot have read that
     * @throws IOException if the socket is closed
     */
    public long resume(SocketChannel next, long peerRead) throws IOException {
        if (up || closed) {
            throw new IllegalStateException("stream is not down: up=" + up + ", closed=" + closed);
        }
        long repeated = replay.rewind(peerRead);
        reported = read;
        Selector polled = selector;
        if (polled != null) {
            next.register(polled, SelectionKey.OP_READ | SelectionKey.OP_WRITE, user);
        }
        channel = next;
        up = true;
        full = false;
        return repeated;
    }

    /**
     * Sends what was kept, as far as the socket takes it.
     *
     * @return whether nothing is left
     */
    public boolean trySend() {
        try {
            return !up || flush();
        } catch (IOException broken) {
            suspend(broken);
            return true;
        }
    }

    @Override
    public SocketChannel channel() {
        return channel;
    }

    @Override
    public void serve(Selector polled, Selectable served) throws IOException {
        selector = polled;
        user = served;
        if (up) {
            LingeringConnection.super.serve(polled, served);
        }
    }

    @Override
    public void awaitWritable(Selector polled) {
        if (up && !full) {
            LingeringConnection.super.awaitWritable(polled);
        }
    }

    // Reading.

    @Override
    public int read(ByteBuffer target) throws IOException {
        int start = target.position();
        if (up) {
            try {
                fill(target);
                if (isReportDue()) {
                    boolean _ = flush();
                }
            } catch (IOException broken) {
                suspend(broken);
            }
        }
        int count = target.position() - start;
        if (count > 0 || !ended) {
            return count;
        }
        endReported = true;
        return -1;
    }

    /** The end of the stream, which can arrive together with the last bytes. The socket may be lost by the next read. */
    @Override
    public boolean hasBuffered() {
        return ended && !endReported;
    }

    private void fill(ByteBuffer target) throws IOException {
        int end = target.limit();
        boolean inPlace = false;
        while (target.position() < end) {
            if (inPlace && missing == 0) {
                if (!tryReadHeader()) {
                    return;
                }
                continue;
            }
            int from = target.position();
            // Nothing is to be moved behind content that is read to its place.
            inPlace = missing > 0 && end - from >= DIRECT_MIN;
            int asked = inPlace ? Math.min(missing, end - from) : end - from;
            int count;
            try {
                count = channel.read(target.limit(from + asked));
            } finally {
                target.limit(end);
            }
            if (count < 0) {
                throw new EOFException("the socket ended before the stream did");
            }
            target.position(unpack(target, from, from + count));
            if (count < asked) {
                return;
            }
        }
    }

    /** Reads the next header alone; false if it is incomplete. */
    private boolean tryReadHeader() throws IOException {
        alone.limit(StreamRecord.HEADER - headerLength).position(0);
        int count = channel.read(alone);
        if (count < 0) {
            throw new EOFException("the socket ended before the stream did");
        }
        int asked = alone.limit();
        int _ = unpack(alone, 0, count);
        return count == asked;
    }

    /** Takes bytes of the socket that were read before the stream was created: what remains is the stream. */
    public void take(ByteBuffer bytes) {
        bytes.limit(unpack(bytes, bytes.position(), bytes.limit()));
    }

    /** Removes the headers from received bytes; returns the end of what remains. */
    private int unpack(ByteBuffer bytes, int from, int end) {
        int out = from;
        int in = from;
        while (in < end) {
            if (missing == 0) {
                header |= (bytes.get(in++) & 0xFFL) << (8 * headerLength++);
                if (headerLength == StreamRecord.HEADER) {
                    beginRecord();
                }
                continue;
            }
            int count = Math.min(missing, end - in);
            if (kind == StreamRecord.END) {
                ended = true;
            } else {
                if (out != in) {
                    bytes.put(out, bytes, in, count);
                }
                out += count;
            }
            in += count;
            missing -= count;
            read += count;
        }
        return out;
    }

    private void beginRecord() {
        long begun = header;
        header = 0;
        headerLength = 0;
        if (!StreamRecord.isValid(begun) || (ended && StreamRecord.length(begun) > 0)) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "record of a resumable stream makes no sense: kind=" + StreamRecord.kind(begun) + ", length="
                            + StreamRecord.length(begun) + ", limit=" + StreamRecord.CONTENT_MAX
                            + " bytes, after the end=" + ended);
        }
        kind = StreamRecord.kind(begun);
        missing = StreamRecord.length(begun);
        if (replay.acknowledge(StreamRecord.read(begun)) && full) {
            full = false;
            Selector polled = selector;
            if (polled != null) {
                LingeringConnection.super.awaitWritable(polled);
            }
        }
    }

    /** Whether a report of the bytes read is due to the peer. */
    private boolean isReportDue() {
        return read - reported >= reportAt || (ended && read > reported);
    }

    // Writing.

    @Override
    public int write(ByteBuffer source) {
        int total = 0;
        try {
            while (up && source.hasRemaining() && flush()) {
                if (owed) {
                    owed = false;
                    source.position(source.position() + 1);
                    total++;
                    continue;
                }
                int count = replay.append(source, read);
                if (count == 0) {
                    full = true;
                    break;
                }
                reported = read;
                total += count;
                owed = true;
                boolean sent = trySend();
                owed = !sent || !up;
                if (owed) {
                    source.position(source.position() - 1);
                    total--;
                }
            }
        } catch (IOException broken) {
            suspend(broken);
        }
        return total;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int count) {
        long total = 0;
        for (int i = offset; i < offset + count; i++) {
            total += write(sources[i]);
            if (sources[i].hasRemaining()) {
                break;
            }
        }
        return total;
    }

    /** Sends what waits for the socket, and a report if one is due; returns whether nothing waits. */
    private boolean flush() throws IOException {
        while (true) {
            if (report.hasRemaining()) {
                channel.write(report);
                if (report.hasRemaining()) {
                    return false;
                }
            }
            if (!replay.trySend(channel)) {
                return false;
            }
            if (!isReportDue()) {
                return true;
            }
            reported = read;
            report.clear().putLong(StreamRecord.of(StreamRecord.DATA, 0, read)).flip();
        }
    }

    // Closing.

    @Override
    public void lingerAt(Consumer<LingeringConnection> taker) {
        linger = taker;
    }

    /**
     * Whether the peer needs nothing more of this side. The connector ends its output last, after it has read the
     * listener's end; the listener is done when it reads the connector's. Its last report completes the connector's
     * close. If that report is lost, the connector connects once more and learns that the connection is unknown.
     */
    private boolean isOver() {
        return ended && (!connector || (outputEnded && isDelivered()));
    }

    @Override
    public boolean tryEndOutput() {
        return (ended || !connector) && endOutput();
    }

    private boolean endOutput() {
        if (!outputEnded) {
            outputEnded = replay.tryAppendEnd(read);
            reported = outputEnded ? read : reported;
        }
        return outputEnded && up && trySend() && up;
    }

    @Override
    public boolean isDelivered() {
        return closed || replay.acknowledged() == replay.written();
    }

    @Override
    public int discard(ByteBuffer target) throws IOException {
        int count = Math.max(0, read(target));
        return isOver() ? -1 : count;
    }

    @Override
    public boolean mayLinger(Selector polled) {
        return !closed;
    }

    @Override
    public LingeringConnection outlive(LingeringConnection stream, Consumer<ByteBuffer> received) {
        throw new IllegalStateException("a stream outlives its sockets already");
    }

    @Override
    public void close() {
        Consumer<LingeringConnection> taker = linger;
        if (taker != null) {
            linger = null;
            taker.accept(this);
        } else {
            closeSocket();
        }
    }

    @Override
    public void closeSocket() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            // Without waiting: otherwise the peer tries to resume, and is refused.
            boolean _ = up && endOutput();
        } catch (RuntimeException gone) {
            LOG.debug("a peer left before the end of the stream", gone);
        }
        up = false;
        SocketConnection.close(channel);
        replay.close();
        owner.closed();
    }
}
