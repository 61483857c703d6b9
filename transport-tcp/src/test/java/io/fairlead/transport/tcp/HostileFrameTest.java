package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.testkit.internal.FakeOperation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that writes what it likes: the endpoint fails and says why, and nothing else is touched. */
@Timeout(180)
final class HostileFrameTest {
    private static final int REGION_BYTES = 4096;
    // Kinds and flags of messages of remote memory, as they are on the wire.
    private static final int PUT = 1;
    private static final int GET = 2;
    private static final int ATOMIC = 3;
    private static final int FLUSH = 4;
    private static final int DONE = 5;
    private static final int DATA = 6;
    private static final int WITH_SIGNAL = 2;
    private static final int GONE = 1;

    private final Arena arena = Arena.ofConfined();
    private final TestWorker worker = new TestWorker();
    private final Sockets sockets = Sockets.connected();
    private final Sockets others = Sockets.connected();
    private final TestWorker otherWorker = new TestWorker();
    private final TestWorker.End victim = worker.connect(sockets.left());
    private final TestWorker.End bystander = worker.connect(others.left());
    private final TestWorker.End friend = otherWorker.connect(others.right());
    private final MemorySegment memory = arena.allocate(REGION_BYTES, 8).fill((byte) 0x5A);
    private final MemorySegment around = arena.allocate(REGION_BYTES).fill((byte) 0x5A);

    @BeforeEach
    void open() {
        victim.host().region(1, memory);
        victim.host().region(2, memory, AccessRight.READ);
        victim.host().region(3, memory, AccessRight.WRITE);
    }

    @AfterEach
    void close() throws IOException {
        victim.host().regions.values().forEach(region -> assertEquals(0, region.holders, "region left held"));
        worker.close();
        otherWorker.close();
        sockets.right().close();
        arena.close();
    }

    private static ByteBuffer frame(int type, int flags, int reserved, long payload, long... words) {
        ByteBuffer frame = ByteBuffer.allocate(8 + 8 * words.length).order(ByteOrder.LITTLE_ENDIAN);
        frame.putLong(type | (long) flags << 8 | (long) reserved << 16 | payload << 32);
        for (long word : words) {
            frame.putLong(word);
        }
        return frame.flip();
    }

    private void write(ByteBuffer... frames) {
        SocketChannel peer = sockets.right();
        try {
            for (ByteBuffer frame : frames) {
                while (frame.hasRemaining()) {
                    peer.write(frame);
                    worker.progress();
                }
            }
        } catch (IOException hungUp) {
            // The endpoint may have hung up in the middle of what it objects to.
            assertNotNull(victim.host().failure);
        }
    }

    private FairleadException violation(ByteBuffer... frames) {
        write(frames);
        long start = System.nanoTime();
        while (victim.host().failure == null) {
            worker.progress();
            if (System.nanoTime() - start > Duration.ofSeconds(30).toNanos()) {
                fail("no violation was found in 30 s");
            }
        }
        FairleadException failure = victim.host().failure;
        assertEquals(Reason.PROTOCOL_VIOLATION, failure.reason(), failure::getMessage);
        assertFalse(failure.getMessage().contains("\n"));
        assertTrue(victim.connection().closed);
        assertEquals(-1, memory.mismatch(around), "the region");
        assertBystanderWorks();
        return failure;
    }

    private void assertBystanderWorks() {
        FakeOperation receive = FakeOperation.over(arena.allocate(8)).tag(1);
        bystander.host().receive(receive);
        FakeOperation send = FakeOperation.over(arena.allocate(8)).tag(1);
        assertTrue(friend.endpoint().send(send));
        long start = System.nanoTime();
        while (!receive.done()) {
            worker.progress();
            otherWorker.progress();
            if (System.nanoTime() - start > Duration.ofSeconds(30).toNanos()) {
                fail("the other endpoint of the worker is stuck");
            }
        }
        assertNull(bystander.host().failure);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0  | 0 | 0 | 0          | message=unknown, kind=0",
                "8  | 0 | 0 | 0          | message=unknown, kind=8",
                "15 | 0 | 0 | 0          | message=unknown, kind=15",
                "1  | 0 | 0 | 1048577    | message=PUT, data=1048577",
                "1  | 0 | 0 | 2147483648 | message=PUT, data=2147483648",
                "1  | 4 | 0 | 8          | message=PUT, flags=4",
                "2  | 0 | 0 | 8          | message=GET, data=8",
                "3  | 6 | 0 | 0          | message=ATOMIC, flags=6",
                "3  | 0 | 1 | 0          | message=ATOMIC, reserved=1",
                "6  | 8 | 0 | 0          | message=DATA, flags=8",
                "25 | 0 | 0 | 0          | frame=unknown frame, type=25",
                "255| 0 | 0 | 0          | frame=unknown frame, type=255",
                "16 | 1 | 0 | 8          | frame=EAGER, reserved=1",
                "16 | 0 | 1 | 8          | frame=EAGER, reserved=256",
                "16 | 0 | 0 | 65537      | frame=EAGER, payload=65537",
                "17 | 0 | 0 | 4294967295 | frame=EAGER_SYNC, payload=4294967295",
                "18 | 0 | 0 | 1          | frame=ANNOUNCE, payload=1",
                "20 | 0 | 0 | 1048577    | frame=DATA, payload=1048577",
                "22 | 0 | 0 | 4097       | frame=CONTROL, payload=4097",
                "23 | 0 | 1 | 8          | frame=ACTIVE, reserved=256",
                "23 | 0 | 0 | 65665      | frame=ACTIVE, payload=65665",
                "24 | 0 | 0 | 129        | frame=ACTIVE_ANNOUNCE, payload=129"
            })
    void shouldRefuseHeader(int type, int flags, int reserved, long payload, String named) {
        String message = violation(frame(type, flags, reserved, payload)).getMessage();
        assertTrue(message.contains(named), message);
    }

    @ParameterizedTest
    @CsvSource({"19, PULL", "20, DATA", "21, MATCHED"})
    void shouldRefuseAnswerToMessageThatNobodySent(int type, String name) {
        long[] words = new long[TcpFrame.header(type) / 8 - 1];
        words[0] = 65536;
        String message = violation(frame(type, 0, 0, type == TcpFrame.DATA ? 8 : 0, words))
                .getMessage();
        assertTrue(message.contains("frame=" + name) && message.contains("id=65536"), message);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0x1_0000, 5 | 9 << 8, Long.MIN_VALUE})
    void shouldRefuseActiveMessagesWhoseTargetMakesNoSense(long target) {
        String message = violation(frame(TcpFrame.ACTIVE, 0, 0, 8, target), ByteBuffer.allocate(8))
                .getMessage();
        assertTrue(message.contains("frame=ACTIVE, target=" + Long.toUnsignedString(target)), message);
        assertTrue(victim.host().active.isEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "1029, 5, payload=5, allowed the header's length alone",
        "1029, 3, target=1029",
        "65536, 3, target=65536"
    })
    void shouldRefuseAnnouncedHeadersOfAnotherLength(long target, int payload, String named) {
        String message = violation(
                        frame(TcpFrame.ACTIVE_ANNOUNCE, 0, 0, payload, target, 9, 70_000), ByteBuffer.allocate(payload))
                .getMessage();
        assertTrue(message.contains("frame=ACTIVE_ANNOUNCE, " + named), message);
        assertTrue(victim.host().headers.isEmpty());
    }

    @Test
    void shouldRefuseAnnouncedActiveMessagesWithoutAnId() {
        String message = violation(frame(TcpFrame.ACTIVE_ANNOUNCE, 0, 0, 0, 5, 0, 70_000))
                .getMessage();
        assertTrue(message.contains("id=0"), message);
    }

    @ParameterizedTest
    @CsvSource({"5, DONE, 0", "6, DATA, 0", "7, VALUE, 1"})
    void shouldRefuseAnswerWithoutRequest(int kind, String name, int words) {
        String message = violation(frame(kind, 0, 0, 0, new long[words])).getMessage();
        assertTrue(message.contains("the peer answers without a request: answer=" + name), message);
    }

    @ParameterizedTest
    @CsvSource({"17, 0", "17, 4294967296", "17, -1", "18, 0"})
    void shouldRefuseIdOutOfRange(int type, long id) {
        long[] words = new long[TcpFrame.header(type) / 8 - 1];
        words[1] = id;
        String message = violation(frame(type, 0, 0, 0, words)).getMessage();
        assertTrue(message.contains("id=" + Long.toUnsignedString(id)), message);
    }

    @ParameterizedTest
    @CsvSource({
        // region, offset, length
        "1, 4096, 1",
        "1, 0, 4097",
        "1, -1, 1",
        "1, 4090, 7",
        "1, 9223372036854775807, 8",
        "2, 0, 8"
    })
    void shouldRefusePutOutsideOfRegionOrRight(long region, long offset, int length) {
        ByteBuffer data = ByteBuffer.allocate(length);
        String message =
                violation(frame(PUT, 0, 0, length, region, offset), data).getMessage();
        assertTrue(message.contains("put "), message);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 4096, 1",
        "1, 0, 4097",
        "1, -1, 1",
        "1, 0, -1",
        "1, 8, 9223372036854775807",
        "1, -9223372036854775808, 8",
        "3, 0, 8"
    })
    void shouldRefuseGetOutsideOfRegionOrRight(long region, long offset, long length) {
        String message = violation(frame(GET, 0, 0, 0, region, offset, length)).getMessage();
        assertTrue(message.contains("get "), message);
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "1, 4089", "1, 4096", "1, -8", "2, 0", "3, 0"})
    void shouldRefuseAtomicOutsideOfRegionOrRightOrAlignment(long region, long offset) {
        String message = violation(frame(ATOMIC, 0, 0, 0, region, offset, 1, 1)).getMessage();
        assertTrue(message.contains("atomic "), message);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 65536, Long.MIN_VALUE})
    void shouldRefuseAnnouncedLengthThatIsNotLong(long length) {
        String message =
                violation(frame(TcpFrame.ANNOUNCE, 0, 0, 0, 5, 9, length)).getMessage();
        assertTrue(message.contains("frame=ANNOUNCE, length="), message);
    }

    @Test
    void shouldRefuseMoreDataThanWasPulled() {
        victim.host().receive(FakeOperation.over(arena.allocate(100)).tag(5));
        String message = violation(
                        frame(TcpFrame.ANNOUNCE, 0, 0, 0, 5, 9, 70_000),
                        frame(TcpFrame.DATA, 0, 0, 101, 65536),
                        ByteBuffer.allocate(101))
                .getMessage();
        assertTrue(message.contains("frame=DATA, payload=101, allowed 1 to 100 bytes"), message);
    }

    @Test
    void shouldRefuseToSendMoreThanTheMessageHas() {
        FakeOperation send = FakeOperation.over(arena.allocate(100_000)).tag(1);
        assertTrue(victim.endpoint().send(send));
        String message =
                violation(frame(TcpFrame.PULL, 0, 0, 0, 65536, 1, 100_001)).getMessage();
        assertTrue(message.contains("frame=PULL, length=100001"), message);
        assertEquals(Status.CANCELLED, send.status);
    }

    @Test
    void shouldKeepBufferOfSynchronousSendUntilItsPayloadHasLeft() {
        FakeOperation send = FakeOperation.over(arena.allocate(60_000)).tag(1).untilMatched();
        victim.connection().full = true;
        assertTrue(victim.endpoint().send(send));
        write(frame(TcpFrame.MATCHED, 0, 0, 0, 65536));
        for (int i = 0; i < 50; i++) {
            worker.progress();
        }
        assertFalse(send.done(), "the payload is still to be read from the buffer");
        assertNull(victim.host().failure);
        String message = violation(frame(TcpFrame.MATCHED, 0, 0, 0, 65536)).getMessage();
        assertTrue(message.contains("frame=MATCHED, id=65536"), message);
        assertEquals(Status.CANCELLED, send.status);
    }

    @Test
    void shouldRefuseDataOfGetThatDoesNotAddUp() {
        FakeOperation get = FakeOperation.over(arena.allocate(100)).at(1, 0);
        assertTrue(victim.endpoint().get(get));
        String message = violation(frame(DATA, 0, 0, 99)).getMessage();
        assertTrue(message.contains("answer to a get is of a wrong length: length=99, allowed 100 bytes"), message);
        assertEquals(Status.CANCELLED, get.status);
    }

    @Test
    void shouldRefuseAnswerToQuestionThatHasNotLeft() {
        FakeOperation put = FakeOperation.over(arena.allocate(100_000)).at(1, 0);
        FakeOperation get = FakeOperation.over(arena.allocate(100)).at(1, 0);
        victim.connection().full = true;
        assertTrue(victim.endpoint().put(put));
        assertTrue(victim.endpoint().get(get));
        violation(frame(DATA, GONE, 0, 0));
        assertEquals(Status.CANCELLED, put.status);
        assertEquals(Status.CANCELLED, get.status);
    }

    @Test
    void shouldRefuseAnswerOfWrongKind() {
        FakeOperation atomic = new FakeOperation().at(1, 0).atomic(AtomicOperation.ADD, 1, 0);
        assertTrue(victim.endpoint().atomic(atomic));
        violation(frame(DATA, GONE, 0, 0));
        assertEquals(Status.CANCELLED, atomic.status);
    }

    @Test
    void shouldRefuseSecondAnswerToOneFlush() {
        FakeOperation put = FakeOperation.over(arena.allocate(8)).at(1, 0);
        FakeOperation flush = new FakeOperation();
        assertTrue(victim.endpoint().put(put));
        assertTrue(victim.endpoint().flush(flush));
        String message = violation(frame(DONE, 0, 0, 0), frame(DONE, 0, 0, 0)).getMessage();
        assertTrue(message.contains("the peer answers without a request"), message);
        assertEquals(Status.OK, flush.status);
    }

    @Test
    void shouldBoundGetsOfPeerThatDoesNotRead() {
        victim.connection().full = true;
        ByteBuffer get = frame(GET, 0, 0, 0, 1, 0, 4096);
        FairleadException failure = null;
        for (int i = 0; i < 2 * TcpFrame.ASKED_MAX && failure == null; i++) {
            write(get.duplicate());
            failure = victim.host().failure;
        }
        assertNotNull(failure, "a peer could ask without end");
        assertTrue(failure.getMessage().contains("unread=8192, allowed 8192"), failure::getMessage);
    }

    @Test
    void shouldBoundAnswersToPeerThatDoesNotRead() {
        victim.connection().full = true;
        ByteBuffer flush = frame(FLUSH, 0, 0, 0);
        FairleadException failure = null;
        for (int i = 0; i < 20 * TcpFrame.ASKED_MAX && failure == null; i++) {
            write(flush.duplicate());
            failure = victim.host().failure;
        }
        assertNotNull(failure, "a peer could ask without end");
        assertTrue(failure.getMessage().contains("unread=8192, allowed 8192"), failure::getMessage);
    }

    @Test
    void shouldStopReadingWhenCoreRefusesMessage() {
        victim.host().refuseArrivals = true;
        ByteBuffer signal = frame(PUT, WITH_SIGNAL, 0, 0, 1, 0, 77);
        write(frame(TcpFrame.EAGER, 0, 0, 0, 5), signal);
        for (int i = 0; i < 50; i++) {
            worker.progress();
        }
        assertEquals(0, victim.host().signals.size());
        assertNull(victim.host().failure);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldSurviveNoise(int seed) {
        Random random = new Random(seed);
        byte[] noise = new byte[200_000];
        random.nextBytes(noise);
        for (int i = 0; i < noise.length && seed % 2 == 0; i += 1 + random.nextInt(60)) {
            // Half of the runs look like frames at first sight, which lets the noise reach further.
            noise[i] = (byte) (1 + random.nextInt(TcpFrame.CONTROL));
        }
        write(ByteBuffer.wrap(noise));
        FairleadException failure = victim.host().failure;
        assertNotNull(failure);
        assertEquals(-1, memory.mismatch(around), "the region");
        assertBystanderWorks();
    }
}
