package io.fairlead.transport.tcp;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Connection;
import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.zip.CRC32C;

/**
 * A byte stream in records with a checksum each, so no frame contains damaged bytes: a record is passed on only when it
 * is complete and its checksum is correct.
 *
 * <pre>
 *  bytes 0-1  length of the content, 1 to {@link #CONTENT_MAX}, little-endian
 *  bytes 2-3  the same with every bit inverted
 *  bytes 4-7  CRC32C of bytes 0 to 3 and of the content
 *  bytes 8-   the content
 * </pre>
 *
 * <p>The content is copied once on either side: the application or a peer may change the original memory concurrently,
 * and its checksum would then report false damage.
 */
final class ChecksummedConnection implements Connection {
    static final int HEADER = 8;
    /** An endpoint has two buffers of one record each. */
    static final int CONTENT_MAX = (32 << 10) - HEADER;

    private static final int CHECKSUM_AT = 4;

    private final Connection connection;
    private final String label;
    private final Arena arena = Arena.ofConfined();
    /** The bytes read: verified content, then the following records. */
    private final ByteBuffer incoming = newBuffer();
    /** The remaining bytes of the record that is being written. */
    private final ByteBuffer outgoing = newBuffer();

    private final CRC32C checksum = new CRC32C();
    /** Bytes of {@link #incoming} that are verified and not passed on. */
    private int verified;
    /** The socket has not accepted all of a record; the caller must offer its last byte again. */
    private boolean owed;

    private boolean ended;
    private boolean closed;

    /**
     * Adds records to a connection.
     *
     * @param connection carries the records
     * @param label names the endpoint
     */
    ChecksummedConnection(Connection connection, String label) {
        this.connection = connection;
        this.label = label;
        incoming.limit(0);
        outgoing.limit(0);
    }

    private ByteBuffer newBuffer() {
        return arena.allocate(HEADER + CONTENT_MAX, 64).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public boolean hasBuffered() {
        return !closed && (verified > 0 || isWhole() || connection.hasBuffered());
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int total = 0;
        while (target.hasRemaining() && (verified > 0 || tryNextRecord())) {
            int count = Math.min(target.remaining(), verified);
            target.put(target.position(), incoming, incoming.position(), count);
            target.position(target.position() + count);
            incoming.position(incoming.position() + count);
            verified -= count;
            total += count;
        }
        return total == 0 && ended ? -1 : total;
    }

    /** Verifies the next record; false if it is incomplete. */
    private boolean tryNextRecord() throws IOException {
        while (!isWhole()) {
            incoming.compact();
            int count = ended ? -1 : connection.read(incoming);
            incoming.flip();
            if (count <= 0) {
                ended = count < 0;
                return false;
            }
        }
        int at = incoming.position();
        int length = length();
        int found = checksum(incoming, at, length);
        int expected = incoming.getInt(at + CHECKSUM_AT);
        if (found != expected) {
            throw damaged("checksum=0x" + Integer.toHexString(expected) + ", over what arrived 0x"
                    + Integer.toHexString(found) + ", length=" + length + " bytes");
        }
        incoming.position(at + HEADER);
        verified = length;
        return true;
    }

    private boolean isWhole() {
        return incoming.remaining() > HEADER && incoming.remaining() >= HEADER + length();
    }

    /** The length in the next record's header. */
    private int length() {
        int word = incoming.getInt(incoming.position());
        int length = word & 0xFFFF;
        if ((word >>> 16 ^ length) != 0xFFFF || length == 0 || length > CONTENT_MAX) {
            throw damaged(
                    "length=" + length + ", inverted=" + (~word >>> 16) + ", allowed 1 to " + CONTENT_MAX + " bytes");
        }
        return length;
    }

    private int checksum(ByteBuffer record, int at, int length) {
        int position = record.position();
        int limit = record.limit();
        checksum.reset();
        checksum.update(record.limit(at + CHECKSUM_AT).position(at));
        checksum.update(record.limit(at + HEADER + length).position(at + HEADER));
        record.limit(limit).position(position);
        return (int) checksum.getValue();
    }

    private FairleadException damaged(String what) {
        return new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                "record was damaged on its way: endpoint=" + label + ", " + what
                        + "; something between the hosts changes bytes, connect again and look for it");
    }

    /**
     * Writes as much as possible. A partially written record is reported as one byte short. The caller therefore
     * retries with that byte, which sends the rest of the record.
     */
    @Override
    public int write(ByteBuffer source) throws IOException {
        int total = 0;
        while (source.hasRemaining()) {
            int count;
            if (owed) {
                count = 1;
            } else {
                count = Math.min(source.remaining(), CONTENT_MAX);
                encode(source, count);
            }
            connection.write(outgoing);
            owed = outgoing.hasRemaining();
            int taken = owed ? count - 1 : count;
            source.position(source.position() + taken);
            total += taken;
            if (owed) {
                return total;
            }
        }
        return total;
    }

    private void encode(ByteBuffer source, int count) {
        outgoing.clear();
        outgoing.putInt(0, count | ~count << 16);
        outgoing.put(HEADER, source, source.position(), count);
        outgoing.putInt(CHECKSUM_AT, checksum(outgoing, 0, count));
        outgoing.limit(HEADER + count);
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
        return connection.channel();
    }

    @Override
    public void serve(Selector selector, Selectable user) throws IOException {
        connection.serve(selector, user);
    }

    @Override
    public void awaitWritable(Selector selector) {
        connection.awaitWritable(selector);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            CloseSteps.runAll(arena::close, connection::close);
        }
    }
}
