package io.fairlead.pubsub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.pubsub.internal.Limits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

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
    void shouldTakeTopicOptionsInAnyOrder() {
        List<UnaryOperator<TopicOptions>> changes = List.of(
                options -> options.withBacklogBytes(8192),
                options -> options.withBatchBytes(1024),
                options -> options.withMessageMax(100));
        TopicOptions expected = new TopicOptions(SlowPolicy.BLOCK, 1024, 8192, 100, 1024, Optional.empty());
        for (UnaryOperator<TopicOptions> first : changes) {
            for (UnaryOperator<TopicOptions> second : changes) {
                for (UnaryOperator<TopicOptions> third : changes) {
                    if (!first.equals(second) && !second.equals(third) && !first.equals(third)) {
                        assertEquals(expected, third.apply(second.apply(first.apply(TopicOptions.defaults()))));
                    }
                }
            }
        }
        TopicOptions options = TopicOptions.defaults();
        assertEquals(
                2 << 20, options.withBacklogBytes(2048).withBatchBytes(1 << 20).backlogBytes(), "two batches");
        assertEquals(4992, options.withBacklogBytes(10_000).batchBytes(), "half of the backlog, in steps of 64");
    }

    @Test
    @SuppressWarnings({"DataFlowIssue", "NullAway"}) // That null is refused is the point.
    void shouldNameWhatIsNull() {
        refusesNull("drainTimeout", () -> PublisherOptions.defaults().withDrainTimeout(null));
        refusesNull("events", () -> PublisherOptions.defaults().withEvents(null));
        refusesNull("snapshot", () -> TopicOptions.defaults().withSnapshot(null));
        refusesNull("slowPolicy", () -> TopicOptions.defaults().withSlowPolicy(null));
        refusesNull("subscriber name", () -> SubscriberOptions.defaults().withName(null));
        refusesNull("pathPolicy", () -> SubscriberOptions.defaults().withPathPolicy(null));
        refusesNull("reconnect", () -> SubscriberOptions.defaults().withReconnect(null));
        refusesNull("startAt", () -> SubscriptionOptions.defaults().withStartAt(null));
    }

    private static void refusesNull(String name, Executable with) {
        assertEquals(name, assertThrows(NullPointerException.class, with).getMessage());
    }

    @Test
    void shouldCheckPublisherOptions() {
        PublisherOptions options = PublisherOptions.defaults();
        intRange("connectionsMax", 1, 65_535, options::withConnectionsMax);
        intRange("topicsMax", 1, 1 << 20, options::withTopicsMax);
        intRange("subscriptionsMax", 1, 4095, options::withSubscriptionsMax);
        range("drainTimeout", 0, 3_600_000, ms -> options.withDrainTimeout(Duration.ofMillis(ms)));
        for (long seconds : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE / 1000 + 1}) {
            Duration longest = Duration.ofSeconds(seconds);
            String message =
                    String.valueOf(assertThrows(IllegalArgumentException.class, () -> options.withDrainTimeout(longest))
                            .getMessage());
            assertTrue(message.contains("drainTimeout=" + longest), message);
            assertTrue(message.contains("3600000 ms"), message);
        }
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
