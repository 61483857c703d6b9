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
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A topic with one subscriber. */
public final class PublishSubscribe {
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
                Publisher publisher =
                        Publisher.listen(worker, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Subscriber subscriber = Subscriber.connect(worker, publisher.address())) {
            Topic topic = publisher.topic("greetings");
            Subscription subscription = subscriber.subscribe(
                    "greetings",
                    (name, sequence, buffer, offset, length) ->
                            System.out.println(name + " " + sequence + ": " + buffer.getString(offset)));

            MemorySegment message = arena.allocateFrom("hello, topic");
            while (subscription.received() < 3) {
                if (topic.subscriberCount() > 0 && topic.sequence() < 3) {
                    topic.publish(message, 0, message.byteSize());
                }
                worker.progress();
            }
        }
        // @end
    }
}
