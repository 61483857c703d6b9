package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.MessageInfo;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The counters of back-pressure, unexpected messages and operations in flight. */
public class BackPressureCounterContract extends BackPressureCases {
    /** Creates the suite of one case; JUnit does. */
    protected BackPressureCounterContract() {}

    @Test
    @Semantics("B-17")
    void shouldCountAnswersOfBackPressure() {
        Pair first = connect();
        Pair second = connect();
        LongSupplier send = sending(first.client(), pattern(1024, 1), 1);
        int taken = postUntilStopped(send, CREDIT_BYTES);
        Counters ofFirst = first.client().endpoint().counters();
        Counters ofSecond = second.client().endpoint().counters();
        long before = ofFirst.value(Counter.BACK_PRESSURE_EVENTS);
        assertTrue(before >= 2, "the sender was stopped twice in a row");
        for (int i = 0; i < 17; i++) {
            tryPost(send);
        }
        assertEquals(before + 17, ofFirst.value(Counter.BACK_PRESSURE_EVENTS));
        assertEquals(before + 17, client().worker().counters().value(Counter.BACK_PRESSURE_EVENTS));
        assertEquals(0, ofSecond.value(Counter.BACK_PRESSURE_EVENTS));
        MemorySegment target = buffer(1024);
        for (int i = 0; i < taken; i++) {
            completeOk(first.server(), first.server().receive(target, 1));
        }
        completeAll(client());
    }

    @Test
    @Semantics("B-17")
    void shouldCountAnswersOfBackPressureToReceives() {
        Pair pair = connect();
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < OPERATIONS_MAX; i++) {
            receives.add(pair.server().receive(buffer(8), 1));
        }
        MemorySegment buffer = buffer(8);
        End server = pair.server();
        for (int i = 0; i < 3; i++) {
            tryPost(() -> server.endpoint().receive(buffer, 0, 8, 1, FULL, server.recorder(), 0));
        }
        for (int i = 0; i < 4; i++) {
            tryPost(() -> server.worker().receive(buffer, 0, 8, 1, FULL, server.recorder(), 0));
        }
        // A receive from any source is no endpoint's.
        assertEquals(3, server.endpoint().counters().value(Counter.BACK_PRESSURE_EVENTS));
        assertEquals(7, server.worker().counters().value(Counter.BACK_PRESSURE_EVENTS));
        receives.forEach(server().worker()::cancel);
        completeAll(server());
    }

    @Test
    @Semantics("B-18")
    void shouldTellHowManyMessagesWait() {
        Pair first = connect();
        Pair second = connect();
        Counters worker = server().worker().counters();
        Counters ofFirst = first.server().endpoint().counters();
        Counters ofSecond = second.server().endpoint().counters();
        for (int i = 0; i < 10; i++) {
            first.client().send(buffer(i % 2 == 0 ? 8 : EAGER_MAX + 1), i);
        }
        for (int i = 0; i < 5; i++) {
            second.client().send(buffer(8), i);
        }
        progressUntil(() -> worker.value(Counter.UNEXPECTED_NOW) == 15, "all messages to wait");
        assertEquals(10, ofFirst.value(Counter.UNEXPECTED_NOW));
        assertEquals(5, ofSecond.value(Counter.UNEXPECTED_NOW));

        MemorySegment target = buffer(EAGER_MAX + 1);
        for (int i = 0; i < 10; i++) {
            completeOk(first.server(), first.server().receive(target, i));
            assertEquals(9 - i, ofFirst.value(Counter.UNEXPECTED_NOW));
            assertEquals(14 - i, worker.value(Counter.UNEXPECTED_NOW));
        }
        // A claimed message waits no longer for a receive to match it.
        MessageInfo info = server().worker().newMessageInfo();
        assertTrue(server().worker().claim(0, FULL, info));
        assertEquals(4, ofSecond.value(Counter.UNEXPECTED_NOW));
        long posted = server().worker().receiveClaimed(info, target, 0, 8, server().recorder(), 0);
        complete(server(), server().recorder().posted(posted));
        for (int i = 1; i < 5; i++) {
            completeOk(second.server(), second.server().receive(target, i));
        }
        assertEquals(0, worker.value(Counter.UNEXPECTED_NOW));
        assertEquals(15, worker.value(Counter.UNEXPECTED_MESSAGES));
        // A message that is expected is none of these.
        long receive = first.server().receive(target, 1);
        first.client().send(buffer(8), 1);
        completeOk(first.server(), receive);
        assertEquals(15, worker.value(Counter.UNEXPECTED_MESSAGES));
        completeAll(client());
    }

    @Test
    @Semantics("B-19")
    void shouldTellHowManyOperationsAreInFlight() {
        Pair first = connect();
        Pair second = connect();
        Counters ofFirst = first.server().endpoint().counters();
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            receives.add(first.server().receive(buffer(8), i));
        }
        long fromAny = server().receive(buffer(8), 100, FULL);
        assertEquals(7, inFlight(server()));
        assertEquals(6, ofFirst.value(Counter.OPERATIONS_IN_FLIGHT));

        for (int i = 0; i < 4; i++) {
            first.client().send(buffer(8), i);
            completeOk(first.server(), receives.get(i));
            progressUntilIdle();
            assertEquals(6 - i, inFlight(server()));
            assertEquals(5 - i, ofFirst.value(Counter.OPERATIONS_IN_FLIGHT));
        }
        server().worker().cancel(receives.get(4));
        server().worker().cancel(fromAny);
        progressUntilIdle();
        assertEquals(1, inFlight(server()));
        assertEquals(1, ofFirst.value(Counter.OPERATIONS_IN_FLIGHT));
        assertEquals(0, second.server().endpoint().counters().value(Counter.OPERATIONS_IN_FLIGHT));
        first.client().send(buffer(8), 5);
        completeAll(server());
        completeAll(client());
        progressUntilIdle();
        assertEquals(0, inFlight(server()));
        assertEquals(0, inFlight(client()));
        assertEquals(0, ofFirst.value(Counter.OPERATIONS_IN_FLIGHT));
    }

    @Test
    @Semantics("B-20")
    void shouldCountMessagesAndBytes() {
        Pair first = connect();
        Pair second = connect();
        long bytes = 0;
        MemorySegment target = buffer(20_000);
        for (int i = 0; i < 50; i++) {
            long length = i % 10 == 9 ? 20_000 : 37L * i;
            bytes += length;
            first.client().send(buffer(length), 1);
            completeOk(first.server(), first.server().receive(target, 1));
        }
        second.client().send(buffer(11), 1);
        completeOk(second.server(), second.server().receive(target, 1));
        completeAll(client());

        assertSent(first.client().endpoint().counters(), 50, bytes);
        assertSent(second.client().endpoint().counters(), 1, 11);
        assertSent(client().worker().counters(), 51, bytes + 11);
        assertReceived(first.server().endpoint().counters(), 50, bytes);
        assertReceived(second.server().endpoint().counters(), 1, 11);
        assertReceived(server().worker().counters(), 51, bytes + 11);
        // A worker's counters keep what its endpoints have counted when these are gone.
        first.client().endpoint().close();
        progressUntil(() -> server().events().ended(first.server().endpoint()), "the server to see the close");
        assertSent(client().worker().counters(), 51, bytes + 11);
        assertReceived(server().worker().counters(), 51, bytes + 11);
    }

    private static void assertSent(Counters counters, long messages, long bytes) {
        assertEquals(messages, counters.value(Counter.MESSAGES_SENT));
        assertEquals(bytes, counters.value(Counter.BYTES_SENT));
    }

    private static void assertReceived(Counters counters, long messages, long bytes) {
        assertEquals(messages, counters.value(Counter.MESSAGES_RECEIVED));
        assertEquals(bytes, counters.value(Counter.BYTES_RECEIVED));
    }
}
