package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.MessageInfo;
import io.fairlead.statistics.Counter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Wrong arguments: the call throws, names the argument, and has no effect. */
public class TaggedArgumentContract extends TaggedCases {
    /** Offsets and lengths that leave a buffer of 64 bytes. */
    private static final long[][] BAD_RANGES = {
        {-1, 1},
        {0, -1},
        {0, 65},
        {1, 64},
        {64, 1},
        {65, 0},
        {63, 2},
        {Long.MAX_VALUE, 1},
        {1, Long.MAX_VALUE},
        {Long.MAX_VALUE, Long.MAX_VALUE},
        {Long.MIN_VALUE, 1},
        {0, Long.MIN_VALUE},
        {Long.MIN_VALUE, Long.MIN_VALUE},
        {-64, 128}
    };

    /** Creates the suite of one case; JUnit does. */
    protected TaggedArgumentContract() {}

    /** The calls that take a range of a buffer. */
    private static Map<String, Executable> calls(
            End end, MessageInfo claimed, MemorySegment buffer, long offset, long length) {
        Endpoint endpoint = end.endpoint();
        Recorder recorder = end.recorder();
        Map<String, Executable> calls = new LinkedHashMap<>();
        calls.put("send", () -> endpoint.send(buffer, offset, length, 1, recorder, 0));
        calls.put("sendSynchronous", () -> endpoint.sendSynchronous(buffer, offset, length, 1, recorder, 0));
        calls.put("receive", () -> endpoint.receive(buffer, offset, length, 1, FULL, recorder, 0));
        calls.put("receive from any", () -> end.worker().receive(buffer, offset, length, 1, FULL, recorder, 0));
        calls.put("receiveClaimed", () -> end.worker().receiveClaimed(claimed, buffer, offset, length, recorder, 0));
        return calls;
    }

    @Test
    @Semantics("T-57")
    @SuppressWarnings({"DataFlowIssue", "NullAway"}) // What is tested is what happens to a caller without such checks.
    void shouldNameWhatIsMissing() {
        Pair pair = connect();
        MessageInfo claimed = client().worker().newMessageInfo();
        calls(pair.client(), claimed, null, 0, 1)
                .forEach((name, call) -> assertEquals(
                        "buffer",
                        assertThrows(NullPointerException.class, call, name).getMessage(),
                        name));
        assertEquals(
                "packedKey",
                assertThrows(
                                NullPointerException.class,
                                () -> pair.client().endpoint().unpack(null))
                        .getMessage());
        assertEquals(0, client().recorder().count());
    }

    @Test
    @Semantics("T-44")
    void shouldRefuseMoreThanSixtyFourBuffers() {
        Pair pair = connect();
        MemorySegment[] parts = new MemorySegment[65];
        Arrays.fill(parts, buffer(8));
        Endpoint endpoint = pair.client().endpoint();
        for (MemorySegment[] refused : List.of(parts, new MemorySegment[0])) {
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class, () -> endpoint.sendGather(refused, 1, client().recorder()));
            String message = String.valueOf(refusal.getMessage());
            assertTrue(message.contains("count=" + refused.length), () -> "does not name the count: " + message);
            assertTrue(message.contains("64"), () -> "does not name the limit: " + message);
        }
        assertNothingStarted(pair);
    }

    @Test
    @Semantics("T-53")
    void shouldRefuseBuffersOnTheHeap() {
        Pair pair = connect();
        MessageInfo claimed = claimedMessage(pair);
        MemorySegment heap = MemorySegment.ofArray(new byte[64]);
        List<Executable> checks = new ArrayList<>();
        calls(pair.server(), claimed, heap, 0, 64)
                .forEach((name, call) -> checks.add(() -> assertThrows(IllegalArgumentException.class, call, name)));
        MemorySegment[] parts = {buffer(8), heap};
        checks.add(() -> assertThrows(
                IllegalArgumentException.class,
                () -> pair.server().endpoint().sendGather(parts, 1, server().recorder())));
        assertAll(checks);
        receiveClaimed(server(), claimed, buffer(8));
        assertNothingStarted(pair);
    }

    @Test
    @Semantics("T-53")
    void shouldRefuseBuffersOfOtherThreadsAndClosedArenas() throws InterruptedException {
        Pair pair = connect();
        MessageInfo claimed = claimedMessage(pair);
        MemorySegment[] confined = new MemorySegment[1];
        Arena[] arena = new Arena[1];
        Thread other = Thread.ofPlatform().start(() -> {
            arena[0] = Arena.ofConfined();
            confined[0] = arena[0].allocate(64);
        });
        other.join();
        MemorySegment dead;
        try (Arena closed = Arena.ofConfined()) {
            dead = closed.allocate(64);
        }
        List<Executable> checks = new ArrayList<>();
        calls(pair.server(), claimed, confined[0], 0, 64)
                .forEach((name, call) -> checks.add(
                        () -> assertThrows(IllegalArgumentException.class, call, name + " with a confined buffer")));
        calls(pair.server(), claimed, dead, 0, 64)
                .forEach((name, call) -> checks.add(
                        () -> assertThrows(IllegalArgumentException.class, call, name + " with a dead buffer")));
        assertAll(checks);
        receiveClaimed(server(), claimed, buffer(8));
        assertNothingStarted(pair);
    }

    @Test
    @Semantics("T-54")
    void shouldRefuseRangesOutsideOfBuffer() {
        Pair pair = connect();
        MessageInfo claimed = claimedMessage(pair);
        MemorySegment buffer = buffer(64);
        List<Executable> checks = new ArrayList<>();
        for (long[] range : BAD_RANGES) {
            calls(pair.server(), claimed, buffer, range[0], range[1])
                    .forEach((name, call) -> checks.add(() -> assertNamesRange(name, range, call)));
        }
        assertAll(checks);
        receiveClaimed(server(), claimed, buffer(8));
        assertNothingStarted(pair);
    }

    private static void assertNamesRange(String name, long[] range, Executable call) {
        String what = name + " with offset=" + range[0] + ", length=" + range[1];
        String message = String.valueOf(
                assertThrows(IndexOutOfBoundsException.class, call, what).getMessage());
        assertTrue(message.contains("offset=" + range[0]), () -> what + " does not name the offset: " + message);
        assertTrue(message.contains("length=" + range[1]), () -> what + " does not name the length: " + message);
        assertTrue(message.contains("bufferLength=64"), () -> what + " does not name the size: " + message);
    }

    @Test
    @Semantics("T-54")
    void shouldAcceptRangesThatEndWithBuffer() {
        Pair pair = connect();
        MemorySegment source = buffer(64);
        MemorySegment target = buffer(64);
        for (long[] range : new long[][] {{0, 64}, {64, 0}, {63, 1}, {0, 0}}) {
            End server = pair.server();
            End client = pair.client();
            server.posted(server.endpoint().receive(target, range[0], range[1], 1, FULL, server.recorder(), 0));
            client.posted(client.endpoint().send(source, range[0], range[1], 1, client.recorder(), 0));
        }
        completeAll(client());
        completeAll(server());
    }

    @Test
    @Semantics("T-55")
    void shouldRefuseToReceiveIntoReadOnlyBuffer() {
        Pair pair = connect();
        MessageInfo claimed = claimedMessage(pair);
        MemorySegment readOnly = buffer(64).asReadOnly();
        Map<String, Executable> calls = calls(pair.server(), claimed, readOnly, 0, 64);
        assertAll(calls.entrySet().stream()
                .filter(call -> call.getKey().startsWith("receive"))
                .map(call -> (Executable)
                        () -> assertThrows(IllegalArgumentException.class, call.getValue(), call.getKey())));
        receiveClaimed(server(), claimed, buffer(8));
        assertNothingStarted(pair);
    }

    @Test
    @Semantics("T-55")
    void shouldSendFromReadOnlyBuffer() {
        Pair pair = connect();
        for (long length : new long[] {64, beyondEager()}) {
            MemorySegment target = buffer(length);
            long receive = pair.server().receive(target, 1);
            pair.client().send(pattern(length, length).asReadOnly(), 1);
            completeOk(pair.server(), receive);
            Pattern.verify(target, 0, length, length);
        }
        completeAll(client());
    }

    /** A message that the server has claimed and not received. */
    private MessageInfo claimedMessage(Pair pair) {
        completeOk(pair.client(), pair.client().send(buffer(8), 7));
        return claim(server(), 7);
    }

    /** Nothing is in flight, and the next message that arrives on either side is the one that is sent here. */
    private void assertNothingStarted(Pair pair) {
        assertEquals(0, server().worker().counters().value(Counter.OPERATIONS_IN_FLIGHT));
        assertEquals(0, client().worker().counters().value(Counter.OPERATIONS_IN_FLIGHT));
        for (End[] direction : new End[][] {{pair.client(), pair.server()}, {pair.server(), pair.client()}}) {
            MemorySegment target = buffer(8);
            long send = direction[0].send(pattern(8, 1), 42);
            assertEquals(42, receiveNext(direction[1], target).tag(), "something was sent before");
            Pattern.verify(target, 0, 8, 1);
            completeOk(direction[0], send);
        }
    }
}
