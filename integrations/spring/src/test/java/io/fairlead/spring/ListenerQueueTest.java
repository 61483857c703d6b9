package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.fairlead.pubsub.NodeSubscriber;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A queue that was full goes on, whichever of its threads looks first. */
@Timeout(120)
final class ListenerQueueTest {
    private static final MemorySegment MESSAGE = MemorySegment.ofArray(new byte[1]);

    private final AtomicBoolean paused = new AtomicBoolean();
    private final AtomicInteger handled = new AtomicInteger();
    private final NodeSubscriber subscriber = (NodeSubscriber) Proxy.newProxyInstance(
            NodeSubscriber.class.getClassLoader(), new Class<?>[] {NodeSubscriber.class}, (_, method, _) -> {
                paused.set(method.getName().equals("pause"));
                return CompletableFuture.completedFuture(null);
            });

    /** Its length is seen by the thread that fills it when the others have emptied it: what else may come between two instructions. */
    private final class Widened extends LinkedBlockingQueue<TopicMessage> {
        private static final long serialVersionUID = 1;
        private final transient Thread filling = Thread.currentThread();

        @Override
        public int size() {
            int size = super.size();
            if (size > 0 && Thread.currentThread().equals(filling)) {
                Await.until("all are handled", () -> super.size() == 0 && handled.get() > 0 && isTaking());
            }
            return size;
        }

        /** Whether the listener's thread waits for the next message. */
        private boolean isTaking() {
            return Thread.getAllStackTraces().entrySet().stream()
                    .filter(entry -> entry.getKey().getName().startsWith("fairlead-listener-widened"))
                    .anyMatch(entry -> entry.getKey().getState() == Thread.State.WAITING);
        }
    }

    @Test
    void shouldGoOnThoughItsThreadsTakeTheLastMessageBeforeItPauses() {
        ListenerSettings settings =
                new ListenerSettings("prices", "h:1", 1, 1, ListenerSettings.Threads.PLATFORM, 1000);
        ListenerQueue queue =
                new ListenerQueue("widened", settings, subscriber, _ -> handled.incrementAndGet(), new Widened());
        queue.start();
        queue.message("prices", 1, MESSAGE, 0, 1);
        assertFalse(paused.get(), "nobody would resume it");
        assertEquals(1, handled.get());
        queue.stop();
    }
}
