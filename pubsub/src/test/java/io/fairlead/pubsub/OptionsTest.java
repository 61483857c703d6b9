package io.fairlead.pubsub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.pubsub.internal.Limits;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

class OptionsTest {
    private static void range(String name, long min, long max, LongFunction<?> with) {
        with.apply(min);
        with.apply(max);
        for (long outside : new long[] {min - 1, max + 1}) {
            String message = String.valueOf(assertThrows(IllegalArgumentException.class, () -> with.apply(outside))
                    .getMessage());
            assertTrue(message.contains(name + "=" + outside), message);
        }
    }

    private static void intRange(String name, int min, int max, IntFunction<?> with) {
        with.apply(min);
        with.apply(max);
        assertThrows(IllegalArgumentException.class, () -> with.apply(min - 1), name);
        if (max < Integer.MAX_VALUE) {
            assertThrows(IllegalArgumentException.class, () -> with.apply(max + 1), name);
        }
    }

    @Test
    void shouldCheckTopicOptions() {
        TopicOptions options = TopicOptions.defaults();
        TopicOptions small = options.withBatchBytes(1024);
        intRange("subscribersMax", 1, 65_535, options::withSubscribersMax);
        range("batchBytes", 1024, 1 << 20, value -> options.withBatchBytes(Math.toIntExact(value)));
        assertThrows(IllegalArgumentException.class, () -> options.withBatchBytes(1025));
        range("backlogBytes", 2048, 1L << 40, small::withBacklogBytes);
        range("messageMax", 0, 1L << 39, options::withMessageMax);
        assertEquals(1L << 20, options.withBacklogBytes(2 << 20).messageMax());
        assertEquals(1L << 19, options.withBacklogBytes(1 << 20).messageMax(), "half of the backlog");
        assertEquals(64L << 20, options.withMessageMax(32L << 20).backlogBytes(), "twice the longest message");
        assertThrows(
                IllegalArgumentException.class,
                () -> new TopicOptions(SlowPolicy.BLOCK, 1024, 4096, 2049, 1, Optional.empty()));
    }

    @Test
    void shouldCheckPublisherOptions() {
        PublisherOptions options = PublisherOptions.defaults();
        intRange("connectionsMax", 1, 65_535, options::withConnectionsMax);
        intRange("topicsMax", 1, 1 << 20, options::withTopicsMax);
        intRange("subscriptionsMax", 1, 4095, options::withSubscriptionsMax);
        range("drainTimeout", 0, 3_600_000, ms -> options.withDrainTimeout(Duration.ofMillis(ms)));
    }

    @Test
    void shouldCheckSubscriberOptions() {
        SubscriberOptions options = SubscriberOptions.defaults();
        options.withName("n".repeat(64));
        assertThrows(IllegalArgumentException.class, () -> options.withName("n".repeat(65)));
        assertThrows(IllegalArgumentException.class, () -> options.withName("a\nb"));
        intRange("deliverMax", 1, Integer.MAX_VALUE, options::withDeliverMax);
    }

    @Test
    void shouldCheckSubscriptionOptions() {
        SubscriptionOptions options = SubscriptionOptions.defaults();
        range("windowBytes", 4096, 1 << 30, options::withWindowBytes);
        range("messageMax", 0, 1L << 39, options::withMessageMax);
        range("snapshotMax", 4096, 1L << 40, options::withSnapshotMax);
        assertEquals(StartAt.SNAPSHOT, options.withStartAt(StartAt.SNAPSHOT).startAt());
    }

    @Test
    void shouldCheckSnapshotOptions() {
        intRange("snapshot.entries", 1, 1 << 24, entries -> SnapshotOptions.lastValues(entries, 8));
        intRange("snapshot.valueMax", 0, 1 << 20, bytes -> SnapshotOptions.lastMessages(1, bytes));
    }

    @Test
    void shouldCheckTopicNames() {
        Limits.topicName("ü".repeat(100));
        Limits.topicName("x");
        assertThrows(IllegalArgumentException.class, () -> Limits.topicName(""));
        assertThrows(IllegalArgumentException.class, () -> Limits.topicName("x".repeat(201)));
        assertThrows(IllegalArgumentException.class, () -> Limits.topicName("a\u0000b"));
    }
}
