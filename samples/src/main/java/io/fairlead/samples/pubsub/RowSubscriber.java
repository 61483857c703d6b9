package io.fairlead.samples.pubsub;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.IdleStrategy;
import io.fairlead.Worker;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the rows of a {@link RowPublisher} until the publisher closes the topic, and counts missed rows. Rows are missed if they were
 * published before the subscription, or dropped because this side was slow. It reconnects after a lost connection. Belongs to the worker's
 * thread.
 */
public final class RowSubscriber implements MessageHandler, SubscriptionEvents, AutoCloseable {
    private final ObjLongConsumer<String> rows;
    private final IdleStrategy idle = IdleStrategy.backOff();
    private final Worker worker;
    private final Subscriber subscriber;
    private long received;
    private long missed;
    private boolean over;
    private @Nullable FairleadException failure;

    /**
     * Begins to connect, and to subscribe once it has.
     *
     * @param worker of the calling thread; closed by the caller, after this
     * @param address where the publisher listens
     * @param rows takes each row, with its number from 1 up; called by {@link #run}
     */
    public RowSubscriber(Worker worker, InetSocketAddress address, ObjLongConsumer<String> rows) {
        this.worker = worker;
        this.rows = rows;
        subscriber = Subscriber.connect(worker, address);
    }

    /**
     * Takes rows until the publisher closes the topic.
     *
     * @throws FairleadException if the subscription ends: the publisher has no such topic, for instance
     */
    public void run() {
        Subscription _ = subscriber.subscribe(RowPublisher.TOPIC, SubscriptionOptions.defaults(), this, this);
        while (!over) {
            idle.idle(worker, worker.progress());
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The buffer is valid until this returns, so that the row is copied out of it. */
    @Override
    public void message(String topic, long sequence, MemorySegment buffer, long offset, long length) {
        byte[] row = buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        received++;
        rows.accept(new String(row, StandardCharsets.UTF_8), sequence);
    }

    @Override
    public void joined(Subscription subscription, long nextSequence) {
        if (received == 0) {
            missed += nextSequence - 1;
        }
    }

    @Override
    public void gap(Subscription subscription, long firstSequence, long lastSequence, GapCause cause) {
        missed += lastSequence - firstSequence + 1;
    }

    /** Every other end of the connection is followed by the next attempt to connect. */
    @Override
    public void disconnected(Subscription subscription, FairleadException cause) {
        over = cause.reason() == Reason.CLOSED;
    }

    @Override
    public void ended(Subscription subscription, FairleadException cause) {
        failure = cause;
        over = true;
    }

    /**
     * How many rows have come.
     *
     * @return 0 and up
     */
    public long received() {
        return received;
    }

    /**
     * How many rows were published and will not come.
     *
     * @return 0 and up
     */
    public long missed() {
        return missed;
    }

    @Override
    public void close() {
        subscriber.close();
    }

    /**
     * Prints the rows.
     *
     * @param args host and port of the publisher
     */
    public static void main(String[] args) {
        InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        try (Context context = Context.open(FairleadConfig.load());
                Worker worker = context.newWorker();
                RowSubscriber subscriber =
                        new RowSubscriber(worker, address, (row, number) -> System.out.println(number + " " + row))) {
            subscriber.run();
            System.err.println("received " + subscriber.received() + " rows, missed " + subscriber.missed());
        }
    }
}
