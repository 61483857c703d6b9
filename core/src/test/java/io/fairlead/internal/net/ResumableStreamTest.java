package io.fairlead.internal.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ResumableStreamTest {
    /** How many sockets break in a run. */
    private static final int CUTS = Integer.getInteger("fairlead.test.cuts", 400);

    private ServerSocketChannel server;
    private Side left;
    private Side right;

    /** One side: writes numbered bytes, and expects those of the other. */
    private static final class Side implements ResumableStream.Owner {
        final ResumableStream stream;
        final Random random;
        final ByteBuffer outgoing = ByteBuffer.allocateDirect(100_000).limit(0);
        final ByteBuffer incoming = ByteBuffer.allocateDirect(100_000);
        long written;
        long checked;
        int losses;
        boolean closed;
        boolean atEnd;

        Side(SocketChannel channel, boolean connector, int replayMax, long seed) {
            stream = new ResumableStream(this, channel, connector, replayMax);
            stream.reportLess();
            random = new Random(seed);
        }

        @Override
        public void down(IOException cause) {
            losses++;
        }

        @Override
        public void closed() {
            closed = true;
        }

        int size() {
            return random.nextInt(10) == 0 ? 1 + random.nextInt(100_000) : 1 + random.nextInt(200);
        }

        void write() {
            if (!outgoing.hasRemaining()) {
                outgoing.clear().limit(size());
                for (int i = 0; i < outgoing.limit(); i++) {
                    outgoing.put(i, pattern(written + i));
                }
                written += outgoing.limit();
            }
            int before = outgoing.position();
            int count = stream.write(outgoing);
            assertEquals(outgoing.position() - before, count);
        }

        void read() throws IOException {
            incoming.clear().limit(size());
            int count = stream.read(incoming);
            atEnd |= count < 0;
            assertEquals(Math.max(0, count), incoming.position());
            for (int i = 0; i < count; i++) {
                if (incoming.get(i) != pattern(checked + i)) {
                    throw new AssertionError("byte " + (checked + i) + " is another one");
                }
            }
            checked += Math.max(0, count);
        }

        long sent() {
            return written - outgoing.remaining();
        }

        static byte pattern(long at) {
            return (byte) (at * 0x9E3779B97F4A7C15L >>> 56);
        }
    }

    @BeforeEach
    void open() throws IOException {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws IOException {
        if (left != null) {
            left.stream.closeSocket();
            right.stream.closeSocket();
        }
        server.close();
    }

    private void begin(int replayMax, long seed) throws IOException {
        SocketChannel[] sockets = sockets();
        left = new Side(sockets[0], true, replayMax, seed);
        right = new Side(sockets[1], false, replayMax, seed + 1);
    }

    private SocketChannel[] sockets() throws IOException {
        SocketChannel one = SocketChannel.open(server.getLocalAddress());
        SocketChannel other = server.accept();
        for (SocketChannel socket : new SocketChannel[] {one, other}) {
            socket.configureBlocking(false);
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        return new SocketChannel[] {one, other};
    }

    private void resume() throws IOException {
        left.stream.suspend(new IOException("as the peer"));
        right.stream.suspend(new IOException("as the peer"));
        SocketChannel[] sockets = sockets();
        left.stream.resume(sockets[0], right.stream.bytesRead());
        right.stream.resume(sockets[1], left.stream.bytesRead());
    }

    private void cut(Random random) throws IOException {
        Side cut = random.nextBoolean() ? left : right;
        if (random.nextBoolean()) {
            cut.stream.channel().setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        cut.stream.channel().close();
    }

    private void turn(Side side) throws IOException {
        if (side.random.nextInt(3) > 0) {
            side.write();
        }
        if (side.random.nextInt(3) > 0) {
            side.read();
        }
        boolean _ = side.stream.trySend();
        if (!left.stream.isUp() && !right.stream.isUp()) {
            resume();
        }
    }

    /** Reads and writes nothing new until all has arrived. */
    private void drain() throws IOException {
        while (left.sent() < left.written
                || right.sent() < right.written
                || left.checked < right.written
                || right.checked < left.written) {
            for (Side side : new Side[] {left, right}) {
                if (side.outgoing.hasRemaining()) {
                    side.write();
                }
                side.read();
                boolean _ = side.stream.trySend();
            }
            if (!left.stream.isUp() || !right.stream.isUp()) {
                resume();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {ResumableStream.REPLAY_MIN, 300_001, 4 << 20})
    void shouldLoseRepeatAndReorderNothingHoweverOftenItsSocketsBreak(int replayMax) throws IOException {
        begin(replayMax, replayMax);
        Random random = new Random(7);
        for (int cuts = 0; cuts < CUTS; cuts++) {
            for (int turns = random.nextInt(40); turns > 0; turns--) {
                turn(random.nextBoolean() ? left : right);
            }
            if (left.stream.channel().isOpen() && right.stream.channel().isOpen()) {
                cut(random);
            }
        }
        drain();

        assertEquals(left.written, right.checked);
        assertEquals(right.written, left.checked);
        assertTrue(left.losses >= CUTS / 2, () -> "losses: " + left.losses);
    }

    @Test
    void shouldMoveNothingWhileItIsDown() throws IOException {
        begin(ResumableStream.REPLAY_MIN, 1);
        left.stream.suspend(new IOException("test"));

        assertFalse(left.stream.isUp());
        assertEquals(0, left.stream.write(ByteBuffer.allocate(10)));
        assertEquals(0, left.stream.read(ByteBuffer.allocate(10)));
        assertEquals(1, left.losses);
    }

    @Test
    void shouldTakeNoMoreThanItKeepsUntilThePeerHasReadIt() throws IOException {
        begin(ResumableStream.REPLAY_MIN, 1);
        ByteBuffer much = ByteBuffer.allocateDirect(8 << 20);
        int taken = 0;
        for (int idle = 0; idle < 100; idle++) {
            int count = left.stream.write(much);
            taken += count;
            idle = count > 0 ? 0 : idle;
        }
        assertTrue(taken > ResumableStream.REPLAY_MIN / 2 && taken < ResumableStream.REPLAY_MIN, "taken=" + taken);

        ByteBuffer target = ByteBuffer.allocateDirect(16 << 20);
        while (much.hasRemaining() || target.position() < 8 << 20) {
            left.stream.write(much);
            right.stream.read(target);
            left.stream.read(ByteBuffer.allocate(100));
        }
        assertEquals(8 << 20, target.position());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20})
    void shouldEndOnBothSidesWhereverTheSocketBreaksMeanwhile(int turns) throws IOException {
        begin(ResumableStream.REPLAY_MIN, 1);
        right.write();
        boolean leftOver = false;
        boolean rightOver = false;
        for (int turn = 0; !leftOver || !rightOver; turn++) {
            if (turn == turns) {
                cut(new Random(turns));
            }
            if (!rightOver) {
                if (right.outgoing.hasRemaining()) {
                    right.write();
                } else {
                    boolean _ = right.stream.tryEndOutput();
                }
                rightOver = right.stream.discard(right.incoming.clear()) < 0;
                if (rightOver) {
                    right.stream.closeSocket();
                }
            }
            if (!leftOver) {
                if (left.checked < right.written) {
                    left.read();
                } else {
                    boolean _ = left.stream.tryEndOutput();
                    leftOver = left.stream.discard(left.incoming.clear()) < 0;
                }
            }
            if (rightOver) {
                // The listener refuses to resume what it does not have any more.
                leftOver |= !left.stream.isUp();
            } else if (!left.stream.isUp() || !right.stream.isUp()) {
                resume();
            }
        }
        assertEquals(right.written, left.checked);
    }

    @Test
    void shouldEndThePeersStreamWhenItCloses() throws IOException {
        begin(ResumableStream.REPLAY_MIN, 1);
        left.stream.close();
        while (!right.atEnd) {
            right.read();
        }
        assertTrue(left.closed);
        assertEquals(0, right.losses);
        assertEquals(0, right.checked);
    }

    /** The selector signals nothing of a socket that is gone. */
    @Test
    void shouldHaveTheEndToReadThatCameWithTheLastBytes() throws IOException {
        begin(ResumableStream.REPLAY_MIN, 1);
        left.write();
        left.stream.close();
        right.incoming.clear();
        while (!right.stream.hasEnded()) {
            assertFalse(right.stream.hasBuffered());
            // On a busy machine it may come alone, and is read then.
            assumeTrue(right.stream.read(right.incoming) >= 0);
        }
        assertTrue(right.incoming.position() > 0);
        right.stream.suspend(new IOException("gone"));

        assertTrue(right.stream.hasBuffered());
        assertEquals(-1, right.stream.read(right.incoming));
        assertFalse(right.stream.hasBuffered());
    }

    @Test
    void shouldTakeItsFirstBytesFromAnotherReader() throws IOException {
        begin(ResumableStream.REPLAY_MIN, 1);
        left.write();
        ByteBuffer early = ByteBuffer.allocate(50);
        while (early.hasRemaining()) {
            right.stream.channel().read(early);
        }
        early.flip();
        right.stream.take(early);
        assertEquals(42, early.remaining());
        byte[] expected = new byte[42];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = Side.pattern(i);
        }
        assertArrayEquals(expected, Arrays.copyOf(early.array(), 42));
        right.checked = 42;
        drain();
    }

    @Test
    void shouldSignalThatItTakesBytesAgainOnTheNextSocket() throws IOException {
        begin(ResumableStream.REPLAY_MIN, 1);
        try (Selector selector = Selector.open()) {
            @Nullable SelectionKey[] signalled = new SelectionKey[1];
            left.stream.serve(selector, key -> signalled[0] = key);
            cut(new Random(1));
            resume();
            selector.selectNow(key -> ((io.fairlead.spi.Selectable) key.attachment()).ready(key));

            assertTrue(signalled[0] != null && signalled[0].isWritable());
        }
    }

    @Test
    void shouldRefuseAPeerThatHasReadWhatItWasNotSent() throws IOException {
        begin(ResumableStream.REPLAY_MIN, 1);
        left.write();
        long sent = left.written - left.outgoing.remaining();
        left.stream.suspend(new IOException("test"));
        SocketChannel[] sockets = sockets();

        assertThrows(FairleadException.class, () -> left.stream.resume(sockets[0], sent + 2));
        assertThrows(FairleadException.class, () -> left.stream.resume(sockets[0], -1));
        sockets[0].close();
        sockets[1].close();
    }

    @Test
    void shouldReadOrRefuseWhateverArrives() throws IOException {
        for (long seed = 0; seed < 2_000; seed++) {
            begin(ResumableStream.REPLAY_MIN, seed);
            Random random = new Random(seed);
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            for (int at = 0; at + 8 <= bytes.length; at += 8 + random.nextInt(20)) {
                ByteBuffer.wrap(bytes)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(at, StreamRecord.of(random.nextInt(4), random.nextInt(20), random.nextInt(2)));
            }
            ByteBuffer received = ByteBuffer.wrap(bytes);
            try {
                right.stream.take(received);
                assertTrue(received.limit() <= bytes.length);
            } catch (FairleadException refusal) {
                assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, refusal.reason());
            }
            left.stream.closeSocket();
            right.stream.closeSocket();
        }
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0L,
                3L << 24,
                1L << 24 | (64 << 10) + 1,
                2L << 24,
                2L << 24 | 2,
                1L << 24 | 1L << 32,
            })
    void shouldRefuseARecordThatMakesNoSense(long header) throws IOException {
        begin(ResumableStream.REPLAY_MIN, 1);
        ByteBuffer record = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        left.stream.channel().write(record.putLong(header).flip());

        FairleadException refusal = assertThrows(FairleadException.class, () -> {
            while (true) {
                right.stream.read(ByteBuffer.allocate(100));
            }
        });
        assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, refusal.reason());
    }
}
