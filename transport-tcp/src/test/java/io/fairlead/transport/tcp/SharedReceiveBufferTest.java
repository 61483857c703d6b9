package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.FakeOperation;
import io.fairlead.transport.tcp.TestWorker.End;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Short messages that come in one read, and the endpoints that wait for the buffer which those are in. */
@Timeout(180)
final class SharedReceiveBufferTest {
    private static final int COUNT = 1000;
    private static final int TAG = 1;
    /** The selector tells which have something to read. */
    private static final int MANY = TcpWorker.TRIED_MAX + 1;
    /** Frames of 8 bytes that the buffer has room for, and more. */
    private static final int BUFFERED_MAX = ReceiveBuffers.BYTES / (Long.BYTES + Long.BYTES);

    private final Arena arena = Arena.ofConfined();
    private final TestWorker senders = new TestWorker();
    private final TestWorker receiver = new TestWorker();
    private final List<End> lefts = new ArrayList<>();
    private final List<End> rights = new ArrayList<>();

    @AfterEach
    void close() {
        senders.close();
        receiver.close();
        arena.close();
    }

    private void connect(int count) {
        for (int i = 0; i < count; i++) {
            Sockets sockets = Sockets.connected();
            lefts.add(senders.connect(sockets.left()));
            rights.add(receiver.connect(sockets.right()));
        }
    }

    private boolean trySend(End from, long number) {
        MemorySegment word = arena.allocate(Long.BYTES, Long.BYTES);
        word.set(ValueLayout.JAVA_LONG, 0, number);
        return from.endpoint().send(FakeOperation.over(word).tag(TAG));
    }

    /** Sends so many, which are all in the other side's socket then. */
    private void sendAll(End from, int count) {
        for (int i = 0; i < count; i++) {
            assertTrue(trySend(from, i));
        }
        while (!senders.worker.arm()) {
            senders.progress();
        }
    }

    private FakeOperation receive(End at) {
        FakeOperation receive =
                FakeOperation.over(arena.allocate(Long.BYTES, Long.BYTES)).tag(TAG);
        at.host().receive(receive);
        return receive;
    }

    private static long number(FakeOperation receive) {
        return receive.buffer().get(ValueLayout.JAVA_LONG, 0);
    }

    @Test
    void shouldMatchWhatComesInOneReadWithReceivesThatCompletionsPost() {
        connect(1);
        End right = rights.getFirst();
        sendAll(lefts.getFirst(), COUNT);
        List<FakeOperation> posted = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            posted.add(receive(right));
        }
        for (int next = 0; next < COUNT; ) {
            receiver.progress();
            assertEquals(List.of(), right.host().unmatched, "nothing waits for a receive");
            for (; posted.get(next).done(); next++) {
                assertEquals(next, number(posted.get(next)));
                posted.add(receive(right));
                if (next == COUNT - 1) {
                    assertTrue(receiver.worker.arm());
                    return;
                }
            }
            assertFalse(receiver.worker.arm(), "the worker may not sleep on what it has read; next=" + next);
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 0, 1", "2, 1, 0", MANY + ", 0, 1", MANY + ", 1, 0"})
    void shouldLetOthersReadHoweverMuchOneSends(int endpoints, int flooding, int other) {
        connect(endpoints);
        sendAll(lefts.get(other), 1);
        FakeOperation awaited = receive(rights.get(other));
        End flooded = rights.get(flooding);
        long sent = 0;
        long taken = 0;
        while (!awaited.done()) {
            while (trySend(lefts.get(flooding), sent)) {
                sent++;
            }
            senders.progress();
            receiver.progress();
            taken += flooded.host().unmatched.size();
            while (!flooded.host().unmatched.isEmpty()) {
                assertTrue(receive(flooded).done());
            }
            assertTrue(taken <= 2 * BUFFERED_MAX, "of one endpoint, while another has a message: taken=" + taken);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, ReceiveBuffers.COUNT_MAX, MANY + 1, 2 * MANY})
    void shouldReadOthersBeforeAllIsTakenApart(int endpoints) {
        connect(endpoints);
        for (int i = 1; i < endpoints; i++) {
            for (int part = 0; part < 10; part++) {
                sendAll(lefts.get(i), COUNT);
            }
        }
        End flooded = rights.get(1);
        while (flooded.host().unmatched.isEmpty()) {
            receiver.progress();
        }
        FakeOperation awaited = receive(rights.getFirst());
        sendAll(lefts.getFirst(), 1);
        while (!awaited.done()) {
            receiver.progress();
            int taken = flooded.host().unmatched.size();
            assertTrue(taken < 10 * COUNT, "of one endpoint, while another has a message: taken=" + taken);
        }
        int all = 0;
        while (all < (endpoints - 1) * 10 * COUNT) {
            receiver.progress();
            all = rights.stream().mapToInt(end -> end.host().unmatched.size()).sum();
        }
        assertTrue(receiver.worker.arm(), "nothing is left to read");
    }

    @Test
    void shouldGoOnWithOthersWhenTheOneWhoseBytesAreReadCloses() {
        connect(2);
        sendAll(lefts.getFirst(), COUNT);
        while (rights.getFirst().host().unmatched.isEmpty()) {
            receiver.progress();
        }
        assertFalse(receiver.worker.arm());
        rights.getFirst().endpoint().close();
        assertTrue(receiver.worker.arm());
        sendAll(lefts.get(1), COUNT);
        FakeOperation last = null;
        for (int i = 0; i < COUNT; i++) {
            last = receive(rights.get(1));
            while (!last.done()) {
                receiver.progress();
            }
            assertEquals(i, number(last));
        }
    }

    @Test
    void shouldTakeAllBeforeItTellsOfTheEnd() throws IOException {
        connect(1);
        sendAll(lefts.getFirst(), COUNT);
        lefts.getFirst().connection().channel().shutdownOutput();
        End right = rights.getFirst();
        while (!right.host().ended) {
            assertTrue(right.host().unmatched.size() < COUNT || receiver.worker.arm());
            receiver.progress();
        }
        assertEquals(COUNT, right.host().unmatched.size());
    }
}
