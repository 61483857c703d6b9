package io.fairlead.transport.tcp;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Connection;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.zip.CRC32C;

/**
 * A byte stream in records with a checksum each, so that no byte that was changed on its way reaches a frame: a record is handed on only
 * when all of it is here and its checksum holds.
 *
 * <pre>
 *  bytes 0-1  length of the content, 1 to {@link #CONTENT_MAX}, little-endian
 *  bytes 2-3  the same with every bit inverted
 *  bytes 4-7  CRC32C of bytes 0 to 3 and of the content
 *  bytes 8-   the content
 * </pre>
 *
 * <p>The content is copied once on either side: a checksum over memory that the application or a peer may change meanwhile would
 * tell of damage where there is none.
 */
final class ChecksummedConnection implements Connection {
    static final int HEADER = 8;
    /** Two buffers of a record each are what an endpoint takes. */
    static final int CONTENT_MAX = (32 << 10) - HEADER;

    private static final int CHECKSUM_AT = 4;

    private final Connection connection;
    private final String label;
    private final Arena arena = Arena.ofConfined();
    /** What has been read: verified content, then the records behind it. */
    private final ByteBuffer incoming = newBuffer();
    /** The record that is being written; what remains is to be written. */
    private final ByteBuffer outgoing = newBuffer();

    private final CRC32C checksum = new CRC32C();
    /** Bytes of {@link #incoming} that are verified and not yet handed on. */
    private int verified;
    /** The socket has not taken all of a record, whose last byte the caller still has to offer again. */
    private boolean owed;

    private boolean ended;
    private boolean closed;

    /**
     * Puts records on a connection.
     *
     * @param connection what carries them
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

    /** Verifies the next record; false if it is not all here. */
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
        int told = incoming.getInt(at + CHECKSUM_AT);
        if (found != told) {
            throw damaged("checksum=0x" + Integer.toHexString(told) + ", over what arrived 0x"
                    + Integer.toHexString(found) + ", length=" + length + " bytes");
        }
        incoming.position(at + HEADER);
        verified = length;
        return true;
    }

    private boolean isWhole() {
        return incoming.remaining() > HEADER && incoming.remaining() >= HEADER + length();
    }

    /** The length that the next record tells. */
    private int length() {
        int told = incoming.getInt(incoming.position());
        int length = told & 0xFFFF;
        if ((told >>> 16 ^ length) != 0xFFFF || length == 0 || length > CONTENT_MAX) {
            throw damaged(
                    "length=" + length + ", inverted=" + (~told >>> 16) + ", allowed 1 to " + CONTENT_MAX + " bytes");
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
     * Writes what fits. Of a record that the socket does not take whole the last byte counts as not taken, so that the caller
     * comes again with it, and the rest of the record goes then.
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
    public void close() {
        if (!closed) {
            closed = true;
            CloseSteps.runAll(arena::close, connection::close);
        }
    }
}
