package io.fairlead.samples.snippets;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.Worker;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.Topic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** A topic with one subscriber. */
public final class PublishSubscribe {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private PublishSubscribe() {}

    /**
     * Publishes to itself.
     *
     * @param args none
     */
    public static void main(String[] args) {
        // @start region="example"
        try (Context context = Context.open(FairleadConfig.load());
                Worker worker = context.newWorker();
                Arena arena = Arena.ofConfined();
                Publisher publisher = Publisher.listen(worker, "127.0.0.1:0");
                Subscriber subscriber = Subscriber.connect(worker, publisher.address())) {
            Topic topic = publisher.topic("greetings");
            Subscription subscription = subscriber.subscribe(
                    "greetings",
                    (name, sequence, buffer, offset, length) ->
                            System.out.println(name + " " + sequence + ": " + buffer.getString(offset)));

            MemorySegment message = arena.allocateFrom("hello, topic");
            boolean ok = worker.progressUntil(() -> subscription.joined().isDone(), TIMEOUT);
            for (int i = 0; ok && i < 3; i++) {
                // A negative number is a status: nothing was published, such as while a subscriber has no capacity.
                ok = worker.progressUntil(() -> topic.publish(message, 0, message.byteSize()) > 0, TIMEOUT);
            }
            if (!ok || !worker.progressUntil(() -> subscription.received() == 3, TIMEOUT)) {
                throw new IllegalStateException("not all were received: " + subscription.received() + " of 3");
            }
        }
        // @end
    }
}
