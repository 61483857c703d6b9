package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChecksummedConnectionTest {
    private final Sockets sockets = Sockets.connected();
    private final FakeConnection raw = new FakeConnection(sockets.left());
    private final ChecksummedConnection left = new ChecksummedConnection(raw, "#1");
    private final ChecksummedConnection right = new ChecksummedConnection(new FakeConnection(sockets.right()), "#2");
    private final Random random = new Random(7);

    @AfterEach
    void close() {
        left.close();
        right.close();
    }

    @Test
    void shouldCarryEveryByteHoweverTheSocketTearsThem() throws IOException {
        raw.tearing = random;
        raw.tearingMax = 50_000;
        byte[] sent = new byte[3 << 20];
        random.nextBytes(sent);
        ByteBuffer source = direct(sent);
        ByteBuffer target = ByteBuffer.allocate(sent.length);
        while (target.hasRemaining()) {
            int limit = source.limit();
            int at = source.position();
            source.limit(Math.min(limit, at + 1 + random.nextInt(100_000)));
            assertEquals(left.write(source), source.position() - at);
            source.limit(limit);
            target.limit(Math.min(sent.length, target.position() + 1 + random.nextInt(100_000)));
            assertTrue(right.read(target) >= 0);
            target.limit(sent.length);
        }
        assertEquals(ByteBuffer.wrap(sent), target.flip());
        assertFalse(right.hasBuffered());
    }

    @Test
    void shouldKeepTheLastByteOfARecordUntilTheSocketHasIt() throws IOException {
        raw.full = true;
        ByteBuffer source = direct(new byte[10]);
        assertEquals(9, left.write(source));
        assertEquals(0, left.write(source));
        raw.full = false;
        assertEquals(1, left.write(source));
        ByteBuffer target = ByteBuffer.allocate(20);
        assertEquals(10, right.read(target));
        assertEquals(0, right.read(target));
    }

    @Test
    void shouldTellOfRecordsThatTheSelectorDoesNotSee() throws IOException {
        left.write(direct(new byte[10]));
        left.write(direct(new byte[10]));
        ByteBuffer target = ByteBuffer.allocate(10);
        while (right.read(target) == 0) {
            Thread.onSpinWait();
        }
        while (target.hasRemaining()) {
            right.read(target);
        }
        ByteBuffer one = ByteBuffer.allocate(1);
        while (right.read(one) == 0) {
            Thread.onSpinWait();
        }
        assertTrue(right.hasBuffered());
    }

    @Test
    void shouldTellTheEndOfTheStreamBehindTheLastRecord() throws IOException {
        left.write(direct(new byte[10]));
        sockets.left().shutdownOutput();
        ByteBuffer target = ByteBuffer.allocate(20);
        int count = 0;
        for (int read = 0; read >= 0; read = right.read(target)) {
            count += read;
        }
        assertEquals(10, count);
    }

    @Test
    void shouldRefuseARecordInWhichAnyBitIsChanged() throws IOException {
        byte[] record = record(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        for (int bit = 0; bit < record.length * 8; bit++) {
            byte[] damaged = record.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            Sockets pair = Sockets.connected();
            ChecksummedConnection reader = new ChecksummedConnection(new FakeConnection(pair.right()), "#3");
            pair.left().write(ByteBuffer.wrap(damaged));
            pair.left().shutdownOutput();
            ByteBuffer target = ByteBuffer.allocate(100);
            FairleadException failure = assertThrows(FairleadException.class, () -> readToTheEnd(reader, target));
            assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, failure.reason());
            assertEquals(0, target.position(), "bytes of a damaged record were handed on");
            reader.close();
            pair.left().close();
        }
    }

    private static void readToTheEnd(ChecksummedConnection reader, ByteBuffer target) throws IOException {
        while (reader.read(target) >= 0) {
            Thread.onSpinWait();
        }
    }

    /** A record as it goes over the wire. */
    private static byte[] record(byte[] content) throws IOException {
        Sockets pair = Sockets.connected();
        try (SocketChannel reader = pair.right();
                ChecksummedConnection writer = new ChecksummedConnection(new FakeConnection(pair.left()), "#4")) {
            writer.write(direct(content));
            ByteBuffer record = ByteBuffer.allocate(ChecksummedConnection.HEADER + content.length);
            while (record.hasRemaining()) {
                reader.read(record);
            }
            return record.array();
        }
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }
}
