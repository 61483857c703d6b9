package io.fairlead.internal.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The data inside of TLS, beside peers and networks that do not keep the rules. */
@Timeout(120)
class TlsConnectionTest {
    private static final int MUCH = 1 << 20;

    @TempDir
    private static Path folder;

    private static TestKeys keys;

    @BeforeAll
    static void makeKeys() throws Exception {
        keys = TestKeys.make(folder, "one");
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static void assertViolation(Exception thrown, String said) {
        FairleadException violation = assertInstanceOf(FairleadException.class, thrown);
        assertEquals(Reason.PROTOCOL_VIOLATION, violation.reason());
        assertTrue(String.valueOf(violation.getMessage()).contains(said), violation::getMessage);
    }

    /** Moves bytes one way; the writer comes again with what was not taken, as writers do. */
    private static byte[] transfer(TlsWire wire, TlsWire.Side from, TlsWire.Side to, byte[] bytes) throws IOException {
        ByteBuffer source = ByteBuffer.wrap(bytes);
        ByteBuffer target = ByteBuffer.allocate(bytes.length);
        wire.await(() -> {
            try {
                from.connection().write(source);
            } catch (IOException broken) {
                throw new AssertionError(broken);
            }
            TlsWire.tryRead(to, target);
            return !target.hasRemaining();
        });
        assertFalse(source.hasRemaining());
        return target.array();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 16384, 16385, MUCH})
    void shouldCarryBytesBothWays(int length) throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            byte[] bytes = random(length);
            assertArrayEquals(bytes, transfer(wire, wire.connector, wire.listener, bytes));
            assertArrayEquals(bytes, transfer(wire, wire.listener, wire.connector, bytes));
        }
    }

    @Test
    void shouldCarryBytesThatComeOneByOne() throws IOException {
        try (TlsWire wire = new TlsWire(keys, keys, 1)) {
            wire.finish();
            byte[] bytes = random(300);
            assertArrayEquals(bytes, transfer(wire, wire.connector, wire.listener, bytes));
        }
    }

    @Test
    void shouldWriteOfSeveralBuffers() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            ByteBuffer[] sources = {
                ByteBuffer.wrap(random(10)), ByteBuffer.wrap(random(20)), ByteBuffer.wrap(random(30))
            };
            assertEquals(50, wire.connector.connection().write(sources, 1, 2));
            byte[] read = wire.read(wire.listener, 50);
            assertArrayEquals(random(20), java.util.Arrays.copyOf(read, 20));
            assertArrayEquals(random(30), java.util.Arrays.copyOfRange(read, 20, 50));
        }
    }

    @Test
    void shouldTellOfWhatTheSelectorDoesNot() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            wire.connector.write(random(40));
            wire.connector.write(random(50));
            byte[] first = wire.read(wire.listener, 1);
            assertEquals(random(40)[0], first[0]);
            assertTrue(wire.listener.connection().hasBuffered());
            assertEquals(89, wire.read(wire.listener, 89).length);
            assertFalse(wire.listener.connection().hasBuffered());
        }
    }

    @Test
    void shouldGoOnWithNewKeys() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            for (int i = 0; i < 200; i++) {
                wire.connector.beginKeyUpdate();
                byte[] bytes = random(100 + i);
                assertArrayEquals(bytes, transfer(wire, wire.connector, wire.listener, bytes));
                assertArrayEquals(bytes, transfer(wire, wire.listener, wire.connector, bytes));
            }
        }
    }

    @Test
    void shouldRefuseAStreamOfRecordsWithoutData() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            for (int i = 0; i < 65; i++) {
                wire.connector.writeNewKeys();
                wire.pass();
            }
            assertViolation(wire.failureOf(wire.listener), "too many TLS records without data");
        }
    }

    @Test
    void shouldEndWhereThePeerHasEnded() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            wire.connector.write(random(10));
            wire.connector.connection().close();
            assertArrayEquals(random(10), wire.read(wire.listener, 11));
            assertEquals(-1, wire.listener.connection().read(ByteBuffer.allocate(1)));
            assertFalse(wire.listener.connection().hasBuffered());
        }
    }

    @Test
    void shouldFailWhereTheStreamIsCutOffAndHandOnWhatCameBefore() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            wire.connector.write(random(10));
            wire.pass();
            wire.listener.wire.close();
            ByteBuffer target = ByteBuffer.allocate(100);
            wire.await(() -> TlsWire.tryRead(wire.listener, target) > 0);
            assertEquals(10, target.position());
            Exception thrown = wire.failureOf(wire.listener);
            assertInstanceOf(IOException.class, thrown);
            assertTrue(String.valueOf(thrown.getMessage()).contains("before the peer ended TLS"), thrown::toString);
        }
    }

    @Test
    void shouldReadWhatCameBeforeThePeerResetTheConnection() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            wire.connector.write(random(10));
            wire.connector.connection().close();
            wire.pass();
            wire.listener.write(random(100));
            // With something unread at the peer, its kernel resets the connection.
            wire.listener.wire.close();
            assertThrows(IOException.class, () -> {
                for (int i = 0; i < 100; i++) {
                    wire.listener.write(random(100));
                }
            });
            ByteBuffer target = ByteBuffer.allocate(100);
            assertEquals(10, wire.listener.connection().read(target));
            assertArrayEquals(random(10), java.util.Arrays.copyOf(target.array(), 10));
            assertEquals(-1, wire.listener.connection().read(target));
        }
    }

    @Test
    void shouldFailWhereARecordIsCutOff() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            wire.connector.write(random(1000));
            ByteBuffer record = takeRecord(wire, 500);
            TlsWire.inject(wire.listener.wire, record.limit(500));
            assertEquals(0, wire.listener.connection().read(ByteBuffer.allocate(1)));
            assertFalse(wire.listener.connection().hasBuffered(), "half a record is nothing yet");
            wire.listener.wire.close();
            assertInstanceOf(IOException.class, wire.failureOf(wire.listener));
        }
    }

    @Test
    void shouldRefuseBytesThatWereChanged() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            wire.connector.write(random(100));
            ByteBuffer record = takeRecord(wire, 0);
            record.put(50, (byte) ~record.get(50));
            TlsWire.inject(wire.listener.wire, record);
            assertViolation(wire.failureOf(wire.listener), "TLS failed");
        }
    }

    @Test
    void shouldRefuseARecordThatIsSaidAgain() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            wire.connector.write(random(100));
            ByteBuffer record = takeRecord(wire, 0);
            TlsWire.inject(wire.listener.wire, record.duplicate());
            TlsWire.inject(wire.listener.wire, record.duplicate());
            assertViolation(wire.failureOf(wire.listener), "TLS failed");
        }
    }

    /** Takes the record that the connector has sent off the wire, which is longer than some bytes. */
    private static ByteBuffer takeRecord(TlsWire wire, int length) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(2000);
        wire.await(() -> {
            try {
                return wire.connector.wire.read(record) >= 0 && record.position() > length;
            } catch (IOException broken) {
                throw new AssertionError(broken);
            }
        });
        return record.flip();
    }

    @Test
    void shouldRefuseARecordOfImpossibleLength() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            TlsWire.inject(wire.listener.wire, ByteBuffer.wrap(new byte[] {23, 3, 3, (byte) 0xFF, (byte) 0xFF}));
            assertViolation(wire.failureOf(wire.listener), "length=65535");
        }
    }

    @Test
    void shouldTakeTheLongestRecordForPossible() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            // 2^14 + 256 bytes, of which none is here: nothing is wrong yet.
            TlsWire.inject(wire.listener.wire, ByteBuffer.wrap(new byte[] {23, 3, 3, 0x41, 0x00}));
            assertEquals(0, wire.listener.connection().read(ByteBuffer.allocate(1)));
            TlsWire.inject(wire.connector.wire, ByteBuffer.wrap(new byte[] {23, 3, 3, 0x41, 0x01}));
            assertViolation(wire.failureOf(wire.connector), "length=16641");
        }
    }

    @Test
    void shouldRefuseGarbage() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            TlsWire.inject(
                    wire.listener.wire,
                    ByteBuffer.wrap("garbage".getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
            assertViolation(wire.failureOf(wire.listener), "not a TLS record");
        }
    }

    @Test
    void shouldTellThePeerOfAnEndThatTheSocketHadNoRoomFor() throws IOException {
        try (TlsWire wire = TlsWire.connected(keys, keys)) {
            ByteBuffer source = ByteBuffer.wrap(random(MUCH * 8));
            // Until the socket is full, and a record waits behind it. The kernel makes room for more a moment later.
            for (int full = 0; full < 20; ) {
                full = wire.connector.connection().write(source) > 0 ? 0 : full + 1;
                LockSupport.parkNanos(full * 500_000L);
            }
            assertFalse(wire.connector.connection().tryEndOutput());
            ByteBuffer target = ByteBuffer.allocate(MUCH * 8);
            boolean[] told = new boolean[1];
            wire.await(() -> {
                try {
                    told[0] = told[0] || wire.connector.connection().tryEndOutput();
                } catch (IOException broken) {
                    throw new AssertionError(broken);
                }
                return TlsWire.tryRead(wire.listener, target) < 0;
            });
            assertTrue(told[0]);
            // The last byte counts as not taken, and is on its way with its record.
            assertEquals(source.position() + 1, target.position());
        }
    }
}
