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
                "0  | 0 | 0 | 0          | unknown frame, type=0",
                "17 | 0 | 0 | 0          | unknown frame, type=17",
                "255| 0 | 0 | 0          | unknown frame, type=255",
                "1  | 1 | 0 | 8          | EAGER, flags=1",
                "12 | 6 | 0 | 0          | ATOMIC, flags=6",
                "10 | 2 | 0 | 0          | GET_DATA, flags=2",
                "1  | 0 | 1 | 8          | EAGER, reserved=1",
                "1  | 0 | 0 | 65537      | EAGER, payload=65537",
                "2  | 0 | 0 | 4294967295 | EAGER_SYNC, payload=4294967295",
                "3  | 0 | 0 | 1          | ANNOUNCE, payload=1",
                "5  | 0 | 0 | 1048577    | DATA, payload=1048577",
                "7  | 0 | 0 | 2147483648 | PUT, payload=2147483648",
                "9  | 0 | 0 | 8          | GET, payload=8",
                "16 | 0 | 0 | 4097       | CONTROL, payload=4097"
            })
    void shouldRefuseHeader(int type, int flags, int reserved, long payload, String named) {
        String[] parts = named.split(", ");
        String message = violation(frame(type, flags, reserved, payload)).getMessage();
        assertTrue(message.contains("frame=" + parts[0]) && message.contains(parts[1]), message);
    }

    @ParameterizedTest
    @CsvSource({
        "4, PULL",
        "5, DATA",
        "6, MATCHED",
        "10, GET_DATA",
        "11, GET_REFUSED",
        "13, ATOMIC_RESULT",
        "15, FLUSHED"
    })
    void shouldRefuseAnswerToWhatNobodyAsked(int type, String name) {
        long[] words = new long[Frame.header(type) / 8 - 1];
        words[0] = 65536;
        String message = violation(frame(type, 0, 0, type == 5 ? 8 : 0, words)).getMessage();
        assertTrue(message.contains("frame=" + name) && message.contains("id=65536"), message);
    }

    @ParameterizedTest
    @CsvSource({"2, 0", "2, 4294967296", "2, -1", "3, 0", "9, 0", "12, -5", "14, 0"})
    void shouldRefuseIdOutOfRange(int type, long id) {
        long[] words = new long[Frame.header(type) / 8 - 1];
        words[type <= 3 ? 1 : 0] = id;
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
                violation(frame(Frame.PUT, 0, 0, length, region, offset), data).getMessage();
        assertTrue(message.contains("frame=PUT"), message);
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
        String message =
                violation(frame(Frame.GET, 0, 0, 0, 9, region, offset, length)).getMessage();
        assertTrue(message.contains("frame=GET"), message);
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "1, 4089", "1, 4096", "1, -8", "2, 0", "3, 0"})
    void shouldRefuseAtomicOutsideOfRegionOrRightOrAlignment(long region, long offset) {
        String message =
                violation(frame(Frame.ATOMIC, 0, 0, 0, 9, region, offset, 1, 1)).getMessage();
        assertTrue(message.contains("frame=ATOMIC"), message);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 65536, Long.MIN_VALUE})
    void shouldRefuseAnnouncedLengthThatIsNotLong(long length) {
        String message = violation(frame(Frame.ANNOUNCE, 0, 0, 0, 5, 9, length)).getMessage();
        assertTrue(message.contains("frame=ANNOUNCE, length="), message);
    }

    @Test
    void shouldRefuseMoreDataThanWasPulled() {
        victim.host().receive(FakeOperation.over(arena.allocate(100)).tag(5));
        String message = violation(
                        frame(Frame.ANNOUNCE, 0, 0, 0, 5, 9, 70_000),
                        frame(Frame.DATA, 0, 0, 101, 65536),
                        ByteBuffer.allocate(101))
                .getMessage();
        assertTrue(message.contains("frame=DATA, payload=101, allowed 1 to 100 bytes"), message);
    }

    @Test
    void shouldRefuseToSendMoreThanTheMessageHas() {
        FakeOperation send = FakeOperation.over(arena.allocate(100_000)).tag(1);
        assertTrue(victim.endpoint().send(send));
        String message =
                violation(frame(Frame.PULL, 0, 0, 0, 65536, 1, 100_001)).getMessage();
        assertTrue(message.contains("frame=PULL, length=100001"), message);
        assertEquals(Status.CANCELLED, send.status);
    }

    @Test
    void shouldRefuseDataOfGetThatDoesNotAddUp() {
        FakeOperation get = FakeOperation.over(arena.allocate(100)).at(1, 0);
        assertTrue(victim.endpoint().get(get));
        String message =
                violation(frame(Frame.GET_DATA, Frame.LAST, 0, 99, 65536)).getMessage();
        assertTrue(message.contains("frame=GET_DATA, payload=99, allowed 100 bytes"), message);
        assertEquals(Status.CANCELLED, get.status);
    }

    @Test
    void shouldRefuseAnswerToQuestionThatHasNotLeft() {
        FakeOperation put = FakeOperation.over(arena.allocate(100_000)).at(1, 0);
        FakeOperation get = FakeOperation.over(arena.allocate(100)).at(1, 0);
        victim.connection().full = true;
        assertTrue(victim.endpoint().put(put));
        assertTrue(victim.endpoint().get(get));
        violation(frame(Frame.GET_REFUSED, 0, 0, 0, 65536));
        assertEquals(Status.CANCELLED, put.status);
        assertEquals(Status.CANCELLED, get.status);
    }

    @Test
    void shouldRefuseAnswerOfWrongKind() {
        FakeOperation flush = new FakeOperation();
        assertTrue(victim.endpoint().flush(flush));
        violation(frame(Frame.GET_REFUSED, 0, 0, 0, 65536));
        assertEquals(Status.CANCELLED, flush.status);
    }

    @Test
    void shouldRefuseSecondAnswerToOneFlush() {
        FakeOperation get = FakeOperation.over(arena.allocate(8)).at(1, 0);
        FakeOperation flush = new FakeOperation();
        assertTrue(victim.endpoint().get(get));
        assertTrue(victim.endpoint().flush(flush));
        long id = 65536 + 1;
        String message = violation(frame(Frame.FLUSHED, 0, 0, 0, id), frame(Frame.FLUSHED, 0, 0, 0, id))
                .getMessage();
        assertTrue(message.contains("once for each flush"), message);
    }

    @Test
    void shouldBoundGetsOfPeerThatDoesNotRead() {
        victim.connection().full = true;
        ByteBuffer get = frame(Frame.GET, 0, 0, 0, 9, 1, 0, 4096);
        FairleadException failure = null;
        for (int i = 0; i < 2 * Frame.ASKED_MAX && failure == null; i++) {
            write(get.duplicate());
            failure = victim.host().failure;
        }
        assertNotNull(failure, "a peer could ask without end");
        assertTrue(failure.getMessage().contains("frame=GET, open gets=8192"), failure::getMessage);
    }

    @Test
    void shouldBoundAnswersToPeerThatDoesNotRead() {
        victim.connection().full = true;
        ByteBuffer flush = frame(Frame.FLUSH, 0, 0, 0, 9);
        FairleadException failure = null;
        for (int i = 0; i < 20 * Frame.ASKED_MAX && failure == null; i++) {
            write(flush.duplicate());
            failure = victim.host().failure;
        }
        assertNotNull(failure, "a peer could ask without end");
        assertTrue(failure.getMessage().contains("unread answers=16384"), failure::getMessage);
    }

    @Test
    void shouldStopReadingWhenCoreRefusesMessage() {
        victim.host().refuseArrivals = true;
        ByteBuffer signal = frame(Frame.PUT_SIGNAL, 0, 0, 0, 1, 0, 77);
        write(frame(Frame.EAGER, 0, 0, 0, 5), signal);
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
            noise[i] = (byte) (1 + random.nextInt(16));
        }
        write(ByteBuffer.wrap(noise));
        FairleadException failure = victim.host().failure;
        assertNotNull(failure);
        assertEquals(-1, memory.mismatch(around), "the region");
        assertBystanderWorks();
    }
}
