package io.fairlead.internal.tls;

import io.fairlead.FairleadException;
import io.fairlead.internal.net.LingeringConnection;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A socket inside TLS. The stream ends where the peer has said so; where its socket ends before, something was cut off, and reading fails.
 *
 * <p>Of records that the socket does not take whole the last byte counts as not taken, so that the writer comes again with it, and the rest
 * of them goes then.
 */
public final class TlsConnection implements LingeringConnection {
    private static final Logger LOG = LoggerFactory.getLogger(TlsConnection.class);

    /** Reads of the socket in one call: a peer that never stops talking must not keep the worker here. */
    private static final int FILLS_MAX = 8;
    /** The most data in a record. */
    private static final int RECORD_MAX = 1 << 14;
    /** Records in a row that bring no data: tickets, new keys, nothing at all. */
    private static final int EMPTY_MAX = 64;

    private final TlsEngine tls;
    /** From position to limit: what was decrypted and had no room at its reader's. */
    private final ByteBuffer plain;

    private @Nullable Consumer<LingeringConnection> linger;
    /** What broke the connection behind data that the reader was given first. */
    private @Nullable Exception failure;

    /** The peer has said that nothing more comes. */
    private boolean ended;
    /** The reader knows. */
    private boolean endTold;
    /** The socket has not taken all of the records, whose last byte the writer still has to offer again. */
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
        return !closed && (plain.hasRemaining() || failure != null || (ended && !endTold) || (!ended && hasRecord()));
    }

    /** A header that is wrong is told of by the read that meets it. */
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
        endTold = ended;
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

    /** Decrypts the next record into the buffer of this side, which is empty. */
    SSLEngineResult unwrapAside() {
        plain.clear();
        try {
            return tls.unwrap(plain);
        } finally {
            plain.flip();
        }
    }

    /** Does what the engine needs after a record that was not data, such as new keys. */
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

    /** A socket that takes nothing more fails the next write. What the peer sent before it hung up, its goodbye first of all, is still to be read. */
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

    /** Makes records of what is offered, whose position stays, as many as leave together; how many bytes are in them. */
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
                // The engine may have to say something of its own first, such as new keys.
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
    public SocketChannel channel() {
        return tls.channel();
    }

    // Closing.

    @Override
    public void lingerAt(Consumer<LingeringConnection> taker) {
        linger = taker;
    }

    @Override
    public boolean tryEndOutput() throws IOException {
        if (!tls.tryEndOutput()) {
            return false;
        }
        tls.channel().shutdownOutput();
        return true;
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
            // Without waiting: the socket takes it, or the peer finds the stream cut off.
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
