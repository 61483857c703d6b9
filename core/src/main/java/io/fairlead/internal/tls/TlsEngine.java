package io.fairlead.internal.tls;

import io.fairlead.FairleadException;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.spi.security.SecureEngine;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TLS engine over a non-blocking socket, with its record buffers. The peer's bytes are checked against the limits of
 * TLS 1.3 before the engine sees them. Every exception of the engine becomes one exception of this project.
 *
 * <p>While tasks of the engine run on other threads, nothing here calls it: engines lock.
 */
final class TlsEngine {
    private static final Logger LOG = LoggerFactory.getLogger(TlsEngine.class);

    private static final int HEADER = 5;
    /** The maximum content of a record: a plaintext of 2^14 bytes and its overhead. */
    private static final int CONTENT_MAX = (1 << 14) + 256;

    private static final int TYPE_MIN = 20;
    private static final int TYPE_MAX = 24;
    private static final int MAJOR_VERSION = 3;
    /** Capacity beyond a data record for the engine's own messages. */
    private static final int ANSWERS = 4 << 10;
    /** The number of records per socket call, for a busy connection. */
    private static final int RECORDS_TOGETHER = 8;
    /** A failed engine sends the reason in one record, and may have others before it. */
    private static final int LAST_RECORDS_MAX = 8;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SecureEngine secure;
    private final SSLEngine engine;
    /** Carries the records. */
    private LingeringConnection carrier;

    private final String peer;
    private final Arena arena = Arena.ofConfined();
    private final int packetMax;
    /** From position to limit: received bytes that are not decrypted. */
    private ByteBuffer incoming;
    /** From position to limit: bytes that the socket has not accepted. */
    private ByteBuffer outgoing;

    private long received;
    private boolean busy;
    private boolean closed;

    TlsEngine(SecureEngine secure, SocketConnection socket, String peer) {
        this.secure = secure;
        this.engine = secure.engine();
        this.carrier = socket;
        this.peer = peer;
        this.packetMax = Math.max(engine.getSession().getPacketBufferSize(), HEADER + CONTENT_MAX);
        try {
            this.incoming = newBuffer(packetMax).limit(0);
            this.outgoing = newBuffer(2 * packetMax + ANSWERS).limit(0);
        } catch (Throwable shortage) {
            arena.close();
            throw shortage;
        }
    }

    /** Memory that is freed together with the engine. */
    ByteBuffer newBuffer(int capacity) {
        return arena.allocate(capacity, 64).asByteBuffer();
    }

    SSLEngine engine() {
        return engine;
    }

    /** The engine with its keys. */
    SecureEngine secure() {
        return secure;
    }

    /** What carries the records. */
    LingeringConnection carrier() {
        return carrier;
    }

    /** From now on a stream carries the records that outlives its sockets; it also has to carry what was read already. */
    void useCarrier(LingeringConnection stream, Consumer<ByteBuffer> received) {
        carrier = stream;
        received.accept(incoming);
    }

    String peer() {
        return peer;
    }

    /** The number of bytes that the peer has sent. */
    long received() {
        return received;
    }

    /** The maximum plaintext of a record. */
    int plainMax() {
        return Math.max(engine.getSession().getApplicationBufferSize(), CONTENT_MAX);
    }

    /** The engine's tasks run on other threads, or no longer do. */
    void setBusy(boolean running) {
        busy = running;
    }

    boolean isBusy() {
        return busy;
    }

    boolean isClosed() {
        return closed;
    }

    // Reading.

    /** Whether the received bytes can be the beginning of TLS; true before any have arrived. */
    boolean isTls() {
        int type = incoming.hasRemaining() ? Byte.toUnsignedInt(incoming.get(incoming.position())) : TYPE_MIN;
        return type >= TYPE_MIN && type <= TYPE_MAX;
    }

    /**
     * Whether a complete record has arrived.
     *
     * @throws FairleadException {@code PROTOCOL_VIOLATION} as soon as its header is malformed
     */
    boolean hasRecord() {
        if (incoming.remaining() < HEADER) {
            return false;
        }
        int at = incoming.position();
        int major = incoming.get(at + 1);
        int length = Short.toUnsignedInt(incoming.getShort(at + 3));
        if (!isTls() || major != MAJOR_VERSION || length > CONTENT_MAX) {
            throw TlsFailure.violation(
                    "not a TLS record: type=" + Byte.toUnsignedInt(incoming.get(at)) + ", version=" + major
                            + ", length=" + length + ", limit=" + CONTENT_MAX + " bytes",
                    peer);
        }
        return incoming.remaining() >= HEADER + length;
    }

    /** Reads from the socket; returns the number of bytes, or -1 at the end of the stream. */
    int fill() throws IOException {
        incoming.compact();
        try {
            int count = carrier.read(incoming);
            received += Math.max(0, count);
            return count;
        } finally {
            incoming.flip();
        }
    }

    /** The last read filled the buffer: the peer sends much. */
    boolean isFull() {
        return incoming.remaining() == incoming.capacity();
    }

    /** From now on the socket is read in larger parts. */
    void growIncoming() {
        if (incoming.capacity() < RECORDS_TOGETHER * packetMax) {
            incoming = newBuffer(RECORDS_TOGETHER * packetMax).put(incoming).flip();
        }
    }

    SSLEngineResult unwrap(ByteBuffer target) {
        try {
            return engine.unwrap(incoming, target);
        } catch (SSLException | RuntimeException failure) {
            throw failed(failure);
        }
    }

    // Writing.

    boolean hasOutput() {
        return outgoing.hasRemaining();
    }

    /** Whether the buffer has capacity for the engine's next output. */
    boolean hasRoom() {
        return outgoing.capacity() - outgoing.remaining() >= packetMax;
    }

    /** From now on several records are sent together. */
    void growOutgoing() {
        if (outgoing.capacity() < RECORDS_TOGETHER * packetMax) {
            outgoing = newBuffer(RECORDS_TOGETHER * packetMax).put(outgoing).flip();
        }
    }

    SSLEngineResult wrap(ByteBuffer source) {
        try {
            return encrypt(source);
        } catch (SSLException | RuntimeException failure) {
            throw failed(failure);
        }
    }

    /** Lets the engine produce its own messages. */
    SSLEngineResult wrap() {
        return wrap(NOTHING);
    }

    private SSLEngineResult encrypt(ByteBuffer source) throws SSLException {
        outgoing.compact();
        try {
            return engine.wrap(source, outgoing);
        } finally {
            outgoing.flip();
        }
    }

    /** Writes waiting bytes; true when none are left. */
    boolean flush() throws IOException {
        if (outgoing.hasRemaining()) {
            carrier.write(outgoing);
        }
        return !outgoing.hasRemaining();
    }

    /**
     * Runs the engine's tasks here. After the handshake they concern only the keys of the data, not public keys.
     *
     * @return the engine's status afterwards
     */
    HandshakeStatus runTasks() {
        try {
            for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                task.run();
            }
            return engine.getHandshakeStatus();
        } catch (RuntimeException failure) {
            throw failed(failure);
        }
    }

    // Ending.

    /** Converts an exception of the engine; the peer is notified by an alert, if the socket accepts it. */
    private FairleadException failed(Exception failure) {
        try {
            for (int i = 0; i < LAST_RECORDS_MAX && mustWrap() && hasRoom(); i++) {
                encrypt(NOTHING);
            }
            flush();
        } catch (IOException | RuntimeException further) {
            LOG.debug("an alert could not be sent; peer={}", peer, further);
        }
        return TlsFailure.of(failure, peer);
    }

    private boolean mustWrap() {
        return engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
    }

    /** Sends close_notify; false if the socket is not writable now. */
    boolean tryEndOutput() throws IOException {
        if (!busy) {
            engine.closeOutbound();
            for (int i = 0; i < LAST_RECORDS_MAX && !engine.isOutboundDone() && hasRoom(); i++) {
                if (encrypt(NOTHING).bytesProduced() == 0) {
                    break;
                }
            }
        }
        return flush();
    }

    /** Frees everything except the socket; returns the received bytes that were not decrypted. */
    ByteBuffer giveUp() {
        ByteBuffer received =
                ByteBuffer.allocate(incoming.remaining()).put(incoming).flip();
        closed = true;
        arena.close();
        return received;
    }

    /** Closes the socket. Idempotent, and never throws. */
    void close() {
        if (!closed) {
            closed = true;
            carrier.closeSocket();
            try {
                arena.close();
            } catch (WrongThreadException confined) {
                LOG.debug("memory of TLS stays with the thread of a worker that has ended", confined);
            }
        }
    }
}
