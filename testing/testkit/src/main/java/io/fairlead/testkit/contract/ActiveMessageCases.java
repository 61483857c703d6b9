package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.ActiveMessage;
import io.fairlead.Endpoint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;

/** What the suites of active messages share: a handler that records and one that keeps. */
abstract class ActiveMessageCases extends BackPressureCases {
    static final int NUMBER = 5;

    /** What a handler saw of a message. */
    record Seen(
            Endpoint source,
            int number,
            MemorySegment headerSeen,
            long length,
            boolean isWhole,
            MemorySegment payloadSeen) {
        static Seen of(ActiveMessage message) {
            return new Seen(
                    message.source(),
                    message.handler(),
                    copy(message.header()),
                    message.length(),
                    message.isWhole(),
                    message.isWhole() ? copy(message.payload()) : MemorySegment.NULL);
        }

        private static MemorySegment copy(MemorySegment segment) {
            return MemorySegment.ofArray(bytes(segment));
        }

        byte[] header() {
            return bytes(headerSeen);
        }

        byte[] payload() {
            return bytes(payloadSeen);
        }
    }

    final List<Seen> seen = new ArrayList<>();
    final Queue<ActiveMessage> kept = new ArrayDeque<>();

    @BeforeEach
    final void forget() {
        seen.clear();
        kept.clear();
    }

    final void see(ActiveMessage message) {
        seen.add(Seen.of(message));
    }

    final void keep(ActiveMessage message) {
        message.keep();
        kept.add(message);
    }

    final long sendActive(End end, MemorySegment header, MemorySegment payload) {
        return end.posted(end.endpoint().sendActive(NUMBER, header, payload, end.recorder()));
    }

    final void awaitSeen(int count) {
        progressUntil(() -> seen.size() >= count, count + " active messages to be handled");
        assertEquals(count, seen.size());
    }

    static byte[] bytes(MemorySegment segment) {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }

    /** Posts the receive of a payload at the sender; returns its id. */
    static long receiveLong(End end, ActiveMessage message, MemorySegment target) {
        return end.posted(message.receive(target, end.recorder()));
    }

    static long post(End end, long posted) {
        return posted > 0 ? end.posted(posted) : posted;
    }

    static int i(int seed) {
        return seed % ActiveMessage.HEADER_MAX;
    }
}
