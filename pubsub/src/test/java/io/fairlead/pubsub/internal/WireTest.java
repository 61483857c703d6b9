package io.fairlead.pubsub.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class WireTest {
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment segment = arena.allocate(Wire.NOTICE_BYTES_MAX, 8);

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void shouldCarryAJoin() throws Malformed {
        JoinRequest join = new JoinRequest(4095, 1, StartAt.SNAPSHOT, true, true, 1L << 39, "ünïcode", "a".repeat(200));
        assertEquals(join, JoinRequest.decode(join.stream(), segment, 0, join.encode(segment)));
        JoinRequest shortest = new JoinRequest(1, 1, StartAt.NEXT, false, false, 0, "", "t");
        assertEquals(shortest, JoinRequest.decode(shortest.stream(), segment, 0, shortest.encode(segment)));
    }

    @Test
    void shouldBoundTheLongestJoin() {
        JoinRequest join = new JoinRequest(1, 1, StartAt.NEXT, false, false, 0, "n".repeat(64), "t".repeat(200));
        assertTrue(join.encode(segment) <= Wire.JOIN_BYTES_MAX);
    }

    @Test
    void shouldRefuseJoinsThatAreOutOfRange() {
        JoinRequest join = new JoinRequest(5, 1, StartAt.NEXT, false, false, 0, "name", "topic");
        int length = join.encode(segment);
        for (int stream : new int[] {-1, 0, 4096}) {
            assertThrows(Malformed.class, () -> JoinRequest.decode(stream, segment, 0, length));
        }
        assertRefused(join, segment -> segment.set(Wire.INT, 4, 2));
        assertRefused(join, segment -> segment.set(Wire.LONG, 8, -1));
        assertRefused(join, segment -> segment.set(Wire.INT, 16, -1));
        assertRefused(join, segment -> segment.set(Wire.INT, 16, Integer.MAX_VALUE));
        assertRefused(join, segment -> segment.set(Wire.INT, 20, 4));
        assertRefused(join, segment -> segment.set(ValueLayout.JAVA_BYTE, 28, (byte) 0xFF));
        assertRefused(join, segment -> segment.set(ValueLayout.JAVA_BYTE, 28, (byte) '\n'));
        assertThrows(Malformed.class, () -> JoinRequest.decode(5, segment, 0, 23));
        assertRefused(new JoinRequest(5, 1, StartAt.NEXT, false, false, 0, "name", "t".repeat(201)), segment -> {});
        assertRefused(new JoinRequest(5, 1, StartAt.NEXT, false, false, 0, "n".repeat(65), "topic"), segment -> {});
        assertRefused(new JoinRequest(5, 1, StartAt.NEXT, false, false, 0, "name", ""), segment -> {});
    }

    private void assertRefused(JoinRequest join, Consumer<MemorySegment> damage) {
        int length = join.encode(segment);
        damage.accept(segment);
        assertThrows(Malformed.class, () -> JoinRequest.decode(join.stream(), segment, 0, length));
    }

    @Test
    void shouldCarryAnAnswer() throws Malformed {
        byte[] key = {1, 2, 3};
        JoinReply answer = new JoinReply(9, 10, 11, 1024, Optional.of(SnapshotOptions.lastMessages(5, 6)), key);
        JoinReply decoded = decode(answer);
        assertEquals(answer.epoch(), decoded.epoch());
        assertEquals(answer.nextSequence(), decoded.nextSequence());
        assertEquals(answer.messageMax(), decoded.messageMax());
        assertEquals(answer.batchBytes(), decoded.batchBytes());
        assertEquals(answer.snapshot(), decoded.snapshot());
        assertArrayEquals(key, decoded.snapshotKey());
        JoinReply plain = decode(new JoinReply(9, 10, 11, 1024, Optional.empty(), new byte[0]));
        assertEquals(Optional.empty(), plain.snapshot());
        byte[] longest = new byte[JoinReply.KEY_BYTES_MAX];
        JoinReply full = decode(new JoinReply(9, 10, 11, 1024, Optional.of(SnapshotOptions.lastValues(5, 6)), longest));
        assertEquals(longest.length, full.snapshotKey().length);
    }

    private JoinReply decode(JoinReply answer) throws Malformed {
        return JoinReply.decode(segment, 0, answer.encode(segment), answer.nextSequence());
    }

    @Test
    void shouldRefuseAnswersThatAreOutOfRange() {
        assertThrows(Malformed.class, () -> decode(new JoinReply(0, 1, 0, 1024, Optional.empty(), new byte[0])));
        assertThrows(Malformed.class, () -> decode(new JoinReply(1, 0, 0, 1024, Optional.empty(), new byte[0])));
        assertThrows(Malformed.class, () -> decode(new JoinReply(1, 1, -1, 1024, Optional.empty(), new byte[0])));
        assertThrows(Malformed.class, () -> decode(new JoinReply(1, 1, 0, 1023, Optional.empty(), new byte[0])));
        assertThrows(Malformed.class, () -> decode(new JoinReply(1, 1, 0, 1056, Optional.empty(), new byte[0])));
        assertThrows(Malformed.class, () -> decode(new JoinReply(1, 1, 0, 2 << 20, Optional.empty(), new byte[0])));
        assertThrows(Malformed.class, () -> JoinReply.decode(segment, 0, 39, 1));
    }

    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"CLOSED", "LIMIT_REACHED", "PROTOCOL_VIOLATION", "REFUSED", "UNSUPPORTED"})
    void shouldCarryANotice(Reason reason) throws Malformed {
        FairleadException decoded = carried(new FairleadException(reason, "why: name=välue"));
        assertEquals(reason, decoded.reason());
        assertEquals("why: name=välue", decoded.getMessage());
    }

    @Test
    void shouldCutALongNoticeBetweenCharacters() throws Malformed {
        FairleadException decoded = carried(new FairleadException(Reason.REFUSED, "x" + "ü".repeat(2000)));
        int bytes = String.valueOf(decoded.getMessage()).getBytes(StandardCharsets.UTF_8).length;
        assertEquals(1023, bytes);
    }

    @Test
    void shouldSaySoWhereAPeerGivesNoReason() throws Malformed {
        for (String said : new String[] {"", "\n"}) {
            FairleadException cause = carried(new FairleadException(Reason.REFUSED, said));
            assertEquals("the peer gives no reason", cause.getMessage());
        }
    }

    @Test
    void shouldTakeControlCharactersOutOfANotice() throws Malformed {
        assertEquals(
                "a [31mb",
                carried(new FairleadException(Reason.REFUSED, "a\u001b[31mb")).getMessage());
    }

    private FairleadException carried(FairleadException cause) throws Malformed {
        return Notice.decode(segment, 0, Notice.encode(segment, cause));
    }

    @Test
    void shouldRefuseNoticesThatAreOutOfRange() {
        int _ = Notice.encode(segment, new FairleadException(Reason.REFUSED, "why"));
        assertThrows(Malformed.class, () -> Notice.decode(segment, 0, 7));
        assertThrows(Malformed.class, () -> Notice.decode(segment, 0, 1033));
        segment.set(Wire.LONG, 0, 5);
        assertThrows(Malformed.class, () -> Notice.decode(segment, 0, 11));
    }

    @Test
    void shouldAnswerNoiseWithMalformedAndNothingElse() {
        SplittableRandom random = new SplittableRandom(42);
        for (int i = 0; i < 20_000; i++) {
            for (int at = 0; at < 128; at += 4) {
                segment.set(Wire.INT, at, random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(64));
            }
            int length = random.nextInt(Wire.JOIN_BYTES_MAX);
            quietly(() -> JoinRequest.decode(1 + random.nextInt(4), segment, 0, length));
            quietly(() -> JoinReply.decode(segment, 0, length, random.nextLong()));
            quietly(() -> Notice.decode(segment, 0, length));
        }
    }

    private interface Decoder {
        Object decode() throws Malformed;
    }

    private static void quietly(Decoder decoder) {
        try {
            decoder.decode();
        } catch (Malformed e) {
            assertTrue(!e.text().isEmpty());
        }
    }
}
