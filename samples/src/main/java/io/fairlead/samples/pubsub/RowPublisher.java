package io.fairlead.samples.pubsub;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.FairleadConfig;
import io.fairlead.IdleStrategy;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.samples.data.DataSet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;

/**
 * Publishes the rows of the data set. It waits for nobody: a slow subscriber loses the oldest rows, and is notified which. Belongs to the
 * worker's thread, which has to make progress while there is anything to do.
 */
public final class RowPublisher implements AutoCloseable {
    /** What subscribers ask for. */
    public static final String TOPIC = "strikes";

    /** Rows that are published between two calls of progress; peers would stall without such calls. */
    private static final int BURST = 64;

    private final DataSet rows = DataSet.load();
    private final IdleStrategy idle = IdleStrategy.backOff();
    private final Worker worker;
    private final Publisher publisher;
    private final Topic topic;

    /**
     * Starts to listen for subscribers.
     *
     * @param worker of the calling thread; closed by the caller, after this
     * @param address where; port 0 takes a free one
     */
    public RowPublisher(Worker worker, InetSocketAddress address) {
        this.worker = worker;
        publisher = Publisher.listen(worker, address);
        topic = publisher.topic(TOPIC, TopicOptions.defaults().withSlowPolicy(SlowPolicy.DROP_OLDEST));
    }

    /**
     * Where it listens.
     *
     * @return with the port that was taken
     */
    public InetSocketAddress address() {
        return publisher.address();
    }

    /**
     * Waits for a subscriber, and publishes to all that there are by then or come meanwhile.
     *
     * @param count how many rows, over and over
     */
    public void publish(long count) {
        while (topic.subscriberCount() == 0) {
            progress();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = arena.allocate(rows.longest());
            for (long index = 0; index < count; index++) {
                byte[] row = rows.row(index);
                MemorySegment.copy(row, 0, message, ValueLayout.JAVA_BYTE, 0, row.length);
                publish(message, row.length);
                if (index % BURST == 0) {
                    progress();
                }
            }
        }
        while (!publisher.drained()) {
            progress();
        }
    }

    /** The message has been copied when this returns, so that the next row can reuse the buffer. */
    private void publish(MemorySegment message, int length) {
        long answer = topic.publish(message, 0, length);
        while (answer == Endpoint.BACK_PRESSURE) {
            progress();
            answer = topic.publish(message, 0, length);
        }
        if (answer < 0) {
            throw new IllegalStateException("not published: status=" + Status.of(answer));
        }
    }

    private void progress() {
        idle.idle(worker, worker.progress());
    }

    /** Sends what has not been sent, and notifies subscribers of the end. */
    @Override
    public void close() {
        publisher.close();
    }

    /**
     * Publishes to the first subscriber that comes, and to all others.
     *
     * @param args host and port to listen at, and how many rows to publish
     */
    public static void main(String[] args) {
        InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        try (Context context = Context.open(FairleadConfig.load());
                Worker worker = context.newWorker();
                RowPublisher publisher = new RowPublisher(worker, address)) {
            System.out.println("publishing " + DataSet.DESCRIPTION + " at " + publisher.address());
            publisher.publish(Long.parseLong(args[2]));
        }
    }
}
