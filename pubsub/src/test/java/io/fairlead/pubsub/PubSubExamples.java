package io.fairlead.pubsub;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.IdleStrategy;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** The examples of the package's javadoc, kept here so that they are compiled. */
final class PubSubExamples {
    private PubSubExamples() {}

    static void publish(BooleanSupplier running) {
        // @start region="publisher"
        try (Arena arena = Arena.ofConfined();
                Context context = Context.open(FairleadConfig.defaults());
                Worker worker = context.newWorker();
                Publisher publisher = Publisher.listen(worker, new InetSocketAddress(7400))) {
            Topic prices = publisher.topic("prices");
            MemorySegment price = arena.allocate(ValueLayout.JAVA_LONG);
            IdleStrategy idle = IdleStrategy.backOff();
            while (running.getAsBoolean()) {
                price.set(ValueLayout.JAVA_LONG, 0, System.nanoTime());
                if (prices.publish(price, 0, price.byteSize()) < 0) {
                    // A subscriber is slow: nothing was published, and after some progress it can be tried again.
                }
                idle.idle(worker, worker.progress());
            }
        }
        // @end
    }

    static void subscribe(BooleanSupplier running, LongConsumer use) {
        // @start region="subscriber"
        try (Context context = Context.open(FairleadConfig.defaults());
                Worker worker = context.newWorker();
                Subscriber subscriber = Subscriber.connect(worker, new InetSocketAddress("publisher", 7400))) {
            subscriber.subscribe(
                    "prices",
                    (topic, sequence, buffer, offset, length) -> use.accept(buffer.get(ValueLayout.JAVA_LONG, offset)));
            IdleStrategy idle = IdleStrategy.backOff();
            while (running.getAsBoolean()) {
                idle.idle(worker, worker.progress());
            }
        }
        // @end
    }

    static void keepValues(Publisher publisher, Subscriber subscriber, MessageHandler handler, MemorySegment value) {
        // @start region="snapshot"
        Topic positions = publisher.topic(
                "positions", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastValues(10_000, 64)));
        positions.publish(4711, value, 0, 64);

        // Elsewhere: first the last value of every key, and then the stream.
        subscriber.subscribe(
                "positions",
                SubscriptionOptions.defaults().withStartAt(StartAt.SNAPSHOT),
                handler,
                SubscriptionEvents.NONE);
        // @end
    }
}
