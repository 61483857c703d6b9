package io.fairlead.internal.tls;

import io.fairlead.FairleadException;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.spi.Selectable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket inside TLS. The stream ends with the peer's close_notify; if its socket ends before, data was truncated, and
 * reading fails.
 *
 * <p>A partially written TLS record is reported as one byte short. The writer therefore retries with that byte, which
 * sends the rest of the record.
 */
public final class TlsConnection implements LingeringConnection {
    private static final Logger LOG = LoggerFactory.getLogger(TlsConnection.class);

    /** Maximum number of socket reads per call: a peer that sends continuously must not occupy the worker. */
    private static final int FILLS_MAX = 8;
    /** The maximum data of a record. */
    private static final int RECORD_MAX = 1 << 14;
    /** Maximum number of consecutive records without data: tickets, new keys, empty records. */
    private static final int EMPTY_MAX = 64;

    private final TlsEngine tls;
    /** From position to limit: decrypted bytes that did not fit the reader's buffer. */
    private final ByteBuffer plain;

    private @Nullable Consumer<LingeringConnection> linger;
    /** The failure of the connection, reported after the data before it. */
    private @Nullable Exception failure;

    /** The peer has sent its close_notify. */
    private boolean ended;
    /** The end was reported to the reader. */
    private boolean endReported;
    /** The socket has not accepted all records; the writer must offer their last byte again. */
    private boolean owed;

    private int emptyRecords;
    private boolean closed;

    TlsConnection(TlsEngine tls) {
        this.tls = tls;
        this.plain = tls.newBuffer(tls.plainMax()).limit(0);
    }

    // Reading.

    @Override
    public boolean hasBuffered() {
        return !closed
                && (plain.hasRemaining()
                        || failure != null
                        || (ended ? !endReported : hasRecord() || tls.carrier().hasBuffered()));
    }

    /** A malformed header is reported by the read that reaches it. */
    private boolean hasRecord() {
        try {
            return tls.hasRecord();
        } catch (FairleadException violation) {
            return true;
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int start = target.position();
        try {
            if (failure == null) {
                decrypt(target);
            }
        } catch (IOException | FairleadException broken) {
            failure = broken;
        }
        int total = target.position() - start;
        if (total > 0) {
            return total;
        }
        if (failure != null) {
            throw thrown(failure);
        }
        endReported = ended;
        return ended ? -1 : 0;
    }

    private static IOException thrown(Exception failure) {
        if (failure instanceof FairleadException known) {
            throw known;
        }
        return failure instanceof IOException broken ? broken : new IOException(failure);
    }

    private void decrypt(ByteBuffer target) throws IOException {
        flushForReader();
        int fills = 0;
        while (target.hasRemaining()) {
            if (plain.hasRemaining()) {
                int count = Math.min(target.remaining(), plain.remaining());
                target.put(target.position(), plain, plain.position(), count);
                target.position(target.position() + count);
                plain.position(plain.position() + count);
            } else if (ended) {
                return;
            } else if (tls.hasRecord()) {
                unwrap(target);
            } else if (fills++ == FILLS_MAX || !tryFill()) {
                return;
            }
        }
    }

    private boolean tryFill() throws IOException {
        int count = tls.fill();
        if (count < 0) {
            throw new EOFException("the socket ended before the peer ended TLS; what it has sent last may be missing");
        }
        if (tls.isFull()) {
            tls.growIncoming();
        }
        return count > 0;
    }

    private void unwrap(ByteBuffer target) throws IOException {
        SSLEngineResult result = tls.unwrap(target);
        if (result.getStatus() == Status.BUFFER_OVERFLOW) {
            result = unwrapAside();
        }
        if (result.getStatus() == Status.CLOSED) {
            ended = true;
            return;
        }
        if (result.getStatus() != Status.OK) {
            throw TlsFailure.violation("TLS record makes no sense: status=" + result.getStatus(), tls.peer());
        }
        emptyRecords = result.bytesProduced() > 0 ? 0 : emptyRecords + 1;
        if (emptyRecords > EMPTY_MAX) {
            throw TlsFailure.violation(
                    "too many TLS records without data: count=" + emptyRecords + ", limit=" + EMPTY_MAX, tls.peer());
        }
        answer(result.getHandshakeStatus());
    }

    /** Decrypts the next record into this side's buffer, which is empty. */
    SSLEngineResult unwrapAside() {
        plain.clear();
        try {
            return tls.unwrap(plain);
        } finally {
            plain.flip();
        }
    }

    /** Does what the engine needs after a record without data, such as new keys. */
    private void answer(HandshakeStatus needed) throws IOException {
        HandshakeStatus status = needed == HandshakeStatus.NEED_TASK ? tls.runTasks() : needed;
        while (status == HandshakeStatus.NEED_WRAP) {
            if (!tls.hasRoom()) {
                throw TlsFailure.violation("peer asks for answers in TLS and takes none", tls.peer());
            }
            SSLEngineResult said = tls.wrap();
            status = said.bytesProduced() == 0 ? HandshakeStatus.NOT_HANDSHAKING : said.getHandshakeStatus();
            flushForReader();
        }
    }

    /**
     * A broken socket fails the next write. Data that the peer sent before it closed, above all its disconnect, must
     * still be read.
     */
    private void flushForReader() {
        try {
            tls.flush();
        } catch (IOException broken) {
            LOG.debug("a peer takes nothing more; peer={}", tls.peer(), broken);
        }
    }

    // Writing.

    @Override
    public int write(ByteBuffer source) throws IOException {
        int total = 0;
        while (source.hasRemaining() && tls.flush()) {
            int count = owed ? 1 : encrypt(source);
            if (count == 0) {
                break;
            }
            owed = !tls.flush();
            int taken = owed ? count - 1 : count;
            source.position(source.position() + taken);
            total += taken;
        }
        return total;
    }

    /**
     * Encrypts the offered data, without moving its position, into as many records as are sent together; returns the
     * number of bytes in them.
     */
    private int encrypt(ByteBuffer source) throws IOException {
        if (source.remaining() > RECORD_MAX) {
            tls.growOutgoing();
        }
        int start = source.position();
        try {
            int emptyWraps = 0;
            while (source.hasRemaining() && tls.hasRoom()) {
                SSLEngineResult result = tls.wrap(source);
                if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                    tls.runTasks();
                }
                if (result.getStatus() == Status.CLOSED) {
                    throw new IOException("TLS has ended");
                }
                // The engine may have to send its own records first, such as new keys.
                if (result.bytesConsumed() == 0 && ++emptyWraps == EMPTY_MAX) {
                    break;
                }
            }
            return source.position() - start;
        } finally {
            source.position(start);
        }
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int count) throws IOException {
        long total = 0;
        for (int i = offset; i < offset + count; i++) {
            total += write(sources[i]);
            if (sources[i].hasRemaining()) {
                break;
            }
        }
        return total;
    }

    @Override
    public boolean isDelivered() {
        return tls.carrier().isDelivered();
    }

    @Override
    public SocketChannel channel() {
        return tls.carrier().channel();
    }

    @Override
    public void serve(Selector selector, Selectable user) throws IOException {
        tls.carrier().serve(selector, user);
    }

    @Override
    public void awaitWritable(Selector selector) {
        tls.carrier().awaitWritable(selector);
    }

    @Override
    public LingeringConnection outlive(LingeringConnection stream, Consumer<ByteBuffer> received) {
        tls.useCarrier(stream, received);
        return this;
    }

    // Closing.

    @Override
    public void lingerAt(Consumer<LingeringConnection> taker) {
        linger = taker;
    }

    @Override
    public boolean tryEndOutput() throws IOException {
        return tls.tryEndOutput() && tls.carrier().tryEndOutput();
    }

    @Override
    public int discard(ByteBuffer target) throws IOException {
        return tls.carrier().discard(target);
    }

    @Override
    public boolean mayLinger(Selector selector) {
        return tls.carrier().mayLinger(selector);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Consumer<LingeringConnection> taker = linger;
        if (taker != null) {
            linger = null;
            taker.accept(this);
            return;
        }
        try {
            // Without waiting: the socket accepts it, or the peer sees a truncated stream.
            boolean _ = tls.tryEndOutput();
        } catch (IOException | RuntimeException gone) {
            LOG.debug("a peer left before the end of TLS", gone);
        }
        closeSocket();
    }

    @Override
    public void closeSocket() {
        closed = true;
        tls.close();
    }
}
