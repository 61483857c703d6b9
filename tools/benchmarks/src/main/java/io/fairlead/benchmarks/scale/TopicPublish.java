package io.fairlead.benchmarks.scale;

import io.fairlead.Status;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.contest.Payload;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** Publishes on a topic, and waits for the slowest subscriber. */
final class TopicPublish extends WorkerSide {
    static final String TOPIC = "growth";

    /** Bytes of a message. */
    static final int SIZE = 32;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment message = arena.allocate(SIZE, Long.BYTES);
    private final Publisher publisher;
    private final Topic topic;
    private long number;

    /**
     * Listens.
     *
     * @param arguments the transport
     */
    TopicPublish(List<String> arguments, Optional<String> address) {
        super(arguments.getFirst());
        publisher = Publisher.listen(worker, FairleadPeer.loopback(0));
        topic = publisher.topic(TOPIC, TopicOptions.defaults().withSlowPolicy(SlowPolicy.BLOCK));
    }

    @Override
    public String address() {
        return String.valueOf(publisher.address().getPort());
    }

    /** The time at which it began to publish a number of messages. */
    @Override
    public String turn(String line, Runnable begun) {
        String[] words = line.split(" ", -1);
        int subscribers = Integer.parseInt(words[0]);
        int count = Integer.parseInt(words[1]);
        await("subscribers", () -> topic.subscriberCount() == subscribers);
        long startNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            publish();
        }
        while (!publisher.drained()) {
            advance();
        }
        return String.valueOf(startNs);
    }

    private void publish() {
        Payload.write(message, SIZE, number);
        for (long done = topic.publish(message, 0, SIZE); done < 0; done = topic.publish(message, 0, SIZE)) {
            if (done != Status.BACK_PRESSURE.code()) {
                throw new IllegalStateException("not published: " + Status.of(done));
            }
            advance();
        }
        number++;
    }

    @Override
    public void close() {
        super.close();
        arena.close();
    }
}
