package io.fairlead.benchmarks.scale;

import io.fairlead.Status;
import io.fairlead.benchmarks.contest.Payload;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Publishes on a topic, and waits for the slowest subscriber. */
final class TopicPublish implements Role {
    static final String NAME = "topic-publish";
    static final String TOPIC = "growth";

    /** Bytes of a message. */
    static final int SIZE = 32;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment message = arena.allocate(SIZE, Long.BYTES);
    private final WorkerSide side;
    private final Publisher publisher;
    private final Topic topic;
    private long number;

    /**
     * Listens.
     *
     * @param arguments the transport
     */
    TopicPublish(List<String> arguments) {
        side = new WorkerSide(arguments.getFirst());
        publisher = Publisher.listen(side.worker, WorkerSide.loopback(0));
        topic = publisher.topic(TOPIC, TopicOptions.defaults().withSlowPolicy(SlowPolicy.BLOCK));
    }

    @Override
    public String introduction() {
        return String.valueOf(publisher.address().getPort());
    }

    /** The time at which it began to publish a number of messages. */
    @Override
    public String turn(List<String> words) {
        int subscribers = Integer.parseInt(words.getFirst());
        int count = Integer.parseInt(words.get(1));
        side.await("subscribers", () -> topic.subscriberCount() == subscribers);
        long startNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            publish();
        }
        while (!publisher.drained()) {
            side.turn();
        }
        return String.valueOf(startNs);
    }

    private void publish() {
        Payload.write(message, SIZE, number);
        for (long done = topic.publish(message, 0, SIZE); done < 0; done = topic.publish(message, 0, SIZE)) {
            if (done != Status.BACK_PRESSURE.code()) {
                throw new IllegalStateException("not published: " + Status.of(done));
            }
            side.turn();
        }
        number++;
    }

    @Override
    public void rest() {
        side.rest();
    }

    @Override
    public void wake() {
        side.worker.wakeup();
    }

    @Override
    public void close() {
        side.close();
        arena.close();
    }
}
