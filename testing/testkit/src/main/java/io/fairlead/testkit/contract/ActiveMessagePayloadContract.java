package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.ActiveMessage;
import io.fairlead.Endpoint;
import io.fairlead.MatchHandler;
import io.fairlead.MessageInfo;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Payloads of active messages: those too long to send at once, and kept ones. */
public class ActiveMessagePayloadContract extends ActiveMessageCases {
    /** Creates the suite. */
    protected ActiveMessagePayloadContract() {}

    @Test
    @Semantics("M-09")
    void shouldLeaveALongPayloadAtItsSender() {
        Pair pair = connect();
        MemorySegment target = buffer(EAGER_MAX + 1L);
        pair.server().worker().register(NUMBER, message -> {
            see(message);
            assertThrows(IllegalStateException.class, message::payload);
            long _ = receiveLong(pair.server(), message, target);
            assertThrows(IllegalStateException.class, () -> receiveLong(pair.server(), message, target));
        });
        MemorySegment payload = pattern(EAGER_MAX + 1L, 3);
        long send = sendActive(pair.client(), pattern(40, 4), payload);
        awaitSeen(1);
        completeAll(server());
        completeOk(pair.client(), send);
        assertFalse(seen.getFirst().isWhole());
        assertEquals(EAGER_MAX + 1L, seen.getFirst().length());
        assertArrayEquals(bytes(pattern(40, 4)), seen.getFirst().header());
        assertEquals(-1, payload.mismatch(target));
        Outcome outcome = server().recorder().outcomes().getLast();
        assertEquals(Status.OK, outcome.status());
        assertEquals(EAGER_MAX + 1L, outcome.length());
        assertEquals(pair.server().endpoint(), outcome.source().orElseThrow());
    }

    @Test
    @Semantics("M-09")
    void shouldReceiveAKeptLongPayloadLater() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        long length = 3L << 20;
        MemorySegment payload = pattern(length, 3);
        MemorySegment[] halves = {payload.asSlice(0, length / 2), payload.asSlice(length / 2)};
        End client = pair.client();
        long send = sendActive(client, buffer(0), payload);
        long gathered = client.posted(
                client.endpoint().sendActiveGather(NUMBER, pattern(128, 5), halves, client.recorder(), 0));
        progressUntil(() -> kept.size() == 2, "both messages to be kept");
        progressUntilIdle();
        assertFalse(client().recorder().has(send) || client().recorder().has(gathered));
        // The later one first.
        ActiveMessage first = kept.remove();
        ActiveMessage second = kept.remove();
        MemorySegment[] targets = {buffer(length), buffer(length)};
        long _ = receiveLong(pair.server(), second, targets[1]);
        completeOk(client, gathered);
        completeAll(server());
        long _ = receiveLong(pair.server(), first, targets[0]);
        completeOk(client, send);
        completeAll(server());
        assertEquals(-1, payload.mismatch(targets[0]));
        assertEquals(-1, payload.mismatch(targets[1]));
        assertArrayEquals(bytes(pattern(128, 5)), bytes(second.header()));
        first.release();
        second.release();
    }

    @Test
    @Semantics("M-10")
    void shouldTruncateALongPayload() {
        Pair pair = connect();
        MemorySegment around = buffer(3L * EAGER_MAX);
        pair.server().worker().register(NUMBER, message -> {
            long posted =
                    message.receive(around, EAGER_MAX, EAGER_MAX, pair.server().recorder(), 3);
            pair.server().posted(posted);
        });
        long send = sendActive(pair.client(), buffer(0), pattern(2L * EAGER_MAX, 3));
        completeOk(pair.client(), send);
        completeAll(server());
        Outcome outcome = server().recorder().outcomes().getLast();
        assertEquals(Status.TRUNCATED, outcome.status());
        assertEquals(2L * EAGER_MAX, outcome.length());
        assertEquals(3, outcome.userData());
        assertEquals(-1, around.asSlice(0, EAGER_MAX).mismatch(buffer(EAGER_MAX)));
        assertEquals(-1, around.asSlice(2L * EAGER_MAX).mismatch(buffer(EAGER_MAX)));
    }

    @Test
    @Semantics("M-11")
    void shouldDiscardALongPayloadThatNobodyWants() {
        Pair pair = connect();
        boolean[] keeps = {false};
        pair.server().worker().register(NUMBER, message -> {
            see(message);
            if (keeps[0]) {
                keep(message);
            }
        });
        long dropped = sendActive(pair.client(), pattern(1, 1), pattern(9L * EAGER_MAX, 2));
        completeOk(pair.client(), dropped);
        awaitSeen(1);
        keeps[0] = true;
        long released = sendActive(pair.client(), pattern(1, 1), pattern(9L * EAGER_MAX, 2));
        awaitSeen(2);
        progressUntilIdle();
        assertFalse(client().recorder().has(released));
        kept.remove().release();
        completeOk(pair.client(), released);
    }

    @Test
    @Semantics("M-12")
    void shouldLeaveAKeptMessageUnchanged() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        int count = 200;
        for (int i = 0; i < count; i++) {
            int seed = i;
            postWhenTaken(() -> post(
                    pair.client(),
                    pair.client()
                            .endpoint()
                            .sendActive(NUMBER, pattern(i(seed), seed), pattern(i(seed), seed), client().recorder())));
        }
        progressUntil(() -> kept.size() == count, "all messages to be kept");
        for (int i = 0; i < count; i++) {
            ActiveMessage message = kept.remove();
            assertEquals(NUMBER, message.handler());
            assertEquals(pair.server().endpoint(), message.source());
            assertArrayEquals(bytes(pattern(i(i), i)), bytes(message.header()));
            assertArrayEquals(bytes(pattern(i(i), i)), bytes(message.payload()));
            message.release();
            message.release();
            assertThrows(IllegalStateException.class, message::buffer);
            assertThrows(IllegalStateException.class, message::keep);
        }
    }

    @Test
    @Semantics("M-12")
    void shouldRefuseTheUseOfAMessageBehindItsCall() {
        Pair pair = connect();
        AtomicReference<@Nullable ActiveMessage> leaked = new AtomicReference<>();
        pair.server().worker().register(NUMBER, leaked::set);
        completeOk(pair.client(), sendActive(pair.client(), buffer(8), buffer(8)));
        progressUntil(() -> leaked.get() != null, "the handler to be called");
        ActiveMessage message = Objects.requireNonNull(leaked.get());
        assertThrows(IllegalStateException.class, message::buffer);
        assertThrows(IllegalStateException.class, message::length);
        assertThrows(IllegalStateException.class, message::keep);
        message.release();
    }

    @Test
    @Semantics("M-26")
    void shouldReceiveAPayloadThoughPostsHaveAllOperations() {
        configure(ConfigKeys.OPERATIONS_MAX, 16);
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        long send = sendActive(pair.client(), buffer(0), pattern(EAGER_MAX + 1L, 1));
        progressUntil(() -> kept.size() == 1, "the message to be kept");
        for (int i = 0; i < 16; i++) {
            server().receive(buffer(8), 1, FULL);
        }
        assertEquals(Endpoint.BACK_PRESSURE, pair.server().endpoint().receive(buffer(8), 1, server().recorder()));
        MemorySegment target = buffer(EAGER_MAX + 1L);
        ActiveMessage message = kept.remove();
        completeOk(pair.server(), receiveLong(pair.server(), message, target));
        completeOk(pair.client(), send);
        assertEquals(-1, target.mismatch(pattern(EAGER_MAX + 1L, 1)));
        message.release();
    }

    @Test
    @Semantics("M-26")
    void shouldReturnBackPressureForAReceiveWithoutASlot() {
        configure(ConfigKeys.OPERATIONS_MAX, 16);
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        long send = sendActive(pair.client(), buffer(0), pattern(EAGER_MAX + 1L, 1));
        progressUntil(() -> kept.size() == 1, "the message to be kept");
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            receives.add(server().receive(buffer(8), 1, FULL));
        }
        for (int i = 0; i < 16; i++) {
            receives.add(server().worker().receive(new Never(), 1, FULL, server().recorder(), 0));
        }
        receives.subList(16, 32).forEach(server().recorder()::posted);
        MemorySegment target = buffer(EAGER_MAX + 1L);
        ActiveMessage message = kept.remove();
        assertEquals(Endpoint.BACK_PRESSURE, message.receive(target, server().recorder()));
        receives.forEach(receive -> assertTrue(server().worker().cancel(receive)));
        completeAll(server());
        long _ = receiveLong(pair.server(), message, target);
        completeAll(server());
        completeOk(pair.client(), send);
        assertEquals(-1, target.mismatch(pattern(EAGER_MAX + 1L, 1)));
        message.release();
    }

    /** Takes no message. */
    private static final class Never implements MatchHandler {
        @Override
        public boolean tryMatch(MessageInfo message) {
            return false;
        }

        @Override
        public MemorySegment buffer() {
            return MemorySegment.NULL;
        }
    }
}
