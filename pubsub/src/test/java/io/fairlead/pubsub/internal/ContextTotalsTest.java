package io.fairlead.pubsub.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.fairlead.Context;
import io.fairlead.pubsub.PubSubCounter;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ContextTotalsTest {
    private final Context context = newContext();
    private final ContextTotals totals = ContextTotals.of(context);

    @Test
    void shouldBeOneOfEachContext() {
        assertSame(totals, ContextTotals.of(context));
        assertNotSame(totals, ContextTotals.of(newContext()));
    }

    @Test
    void shouldAddUpTopicsAndTakeTheGreatestLag() {
        FakeSource first = new FakeSource(context, "a");
        FakeSource second = new FakeSource(context, "b");
        totals.opened(first);
        totals.opened(second);
        first.counts.put(PubSubCounter.PUBLISHED, 5L);
        second.counts.put(PubSubCounter.PUBLISHED, 7L);
        first.counts.put(PubSubCounter.LAG_MAX, 5L);
        second.counts.put(PubSubCounter.LAG_MAX, 7L);

        assertEquals(12, totals.value(PubSubCounter.PUBLISHED));
        assertEquals(5, totals.value(PubSubCounter.PUBLISHED, "a"));
        assertEquals(0, totals.value(PubSubCounter.PUBLISHED, "c"));
        assertEquals(7, totals.value(PubSubCounter.LAG_MAX));
        Reference.reachabilityFence(first);
        Reference.reachabilityFence(second);
    }

    @Test
    void shouldKeepWhatClosedTopicsHaveCountedAndForgetWhatTheyWere() {
        FakeSource source = new FakeSource(context, "a");
        totals.opened(source);
        for (PubSubCounter counter : PubSubCounter.values()) {
            source.counts.put(counter, 3L);
        }
        totals.closed(source);
        totals.closed(source);

        assertEquals(3, totals.value(PubSubCounter.PUBLISHED));
        assertEquals(3, totals.value(PubSubCounter.REJOINS));
        assertEquals(0, totals.value(PubSubCounter.PUBLISHED, "a"));
        assertEquals(0, totals.value(PubSubCounter.TOPICS));
        assertEquals(0, totals.value(PubSubCounter.LAG_MAX));
    }

    @Test
    void shouldKeepNoContextThatItsApplicationHasForgotten() throws InterruptedException {
        ReferenceQueue<Context> collected = new ReferenceQueue<>();
        WeakReference<Context> forgotten = contextWithOpenTopic(collected);
        Reference<? extends Context> found = null;
        while (found == null) {
            System.gc();
            found = collected.remove(100);
        }
        assertSame(forgotten, found);
    }

    /** The topic is open, refers to its context as real ones do, and is known to nobody but the totals. */
    private static WeakReference<Context> contextWithOpenTopic(ReferenceQueue<Context> collected) {
        Context lost = newContext();
        ContextTotals.of(lost).opened(new FakeSource(lost, "lost"));
        return new WeakReference<>(lost, collected);
    }

    /** Nothing but an identity. */
    private static Context newContext() {
        return (Context) Proxy.newProxyInstance(
                ContextTotalsTest.class.getClassLoader(),
                new Class<?>[] {Context.class},
                (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == arguments[0];
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    private static final class FakeSource implements ContextTotals.Source {
        private final Context context;
        private final String topicName;
        private final Map<PubSubCounter, Long> counts = new EnumMap<>(PubSubCounter.class);

        FakeSource(Context context, String topicName) {
            this.context = context;
            this.topicName = topicName;
        }

        @Override
        public String topicName() {
            return topicName;
        }

        @Override
        public long count(PubSubCounter counter) {
            return counts.getOrDefault(counter, 0L);
        }

        @Override
        public String toString() {
            return topicName + " of " + System.identityHashCode(context);
        }
    }
}
