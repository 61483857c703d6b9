package io.fairlead.cli.pubsub;

import io.fairlead.IdleStrategy;
import io.fairlead.Worker;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.Topic;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The duty cycle of {@code fairlead pub}; one thread, that of the worker. */
record PublishLoop(Worker worker, Publisher publisher, Topic topic, IdleStrategy idle, StopSignal stop) {
    private static final long WAIT_MAX_NS = TimeUnit.MILLISECONDS.toNanos(100);

    boolean awaitSubscribers(int count) {
        while (!stop.requested() && topic.subscriberCount() < count) {
            idle.idle(worker, progress());
        }
        return !stop.requested();
    }

    /** Publishes the whole input, at that many messages per second or, for 0, as fast as subscribers take them. */
    void publish(InputThread input, double rate) throws Exception {
        Pace pace = new Pace(rate, System.nanoTime());
        long published = 0;
        while (!stop.requested() && !input.exhausted()) {
            List<byte[]> batch = input.poll();
            for (byte[] message : batch) {
                awaitTurn(pace, published++);
                publish(MemorySegment.ofArray(message));
            }
            idle.idle(worker, progress() + batch.size());
        }
    }

    /** Waits until everything is sent and, if it is to stay, until stopped; closing then notifies subscribers of the end. */
    void drain(boolean stay) {
        while (!stop.requested() && (stay || !publisher.drained())) {
            idle.idle(worker, progress());
        }
    }

    private void awaitTurn(Pace pace, long index) {
        long waitNs = pace.waitNs(index, System.nanoTime());
        while (waitNs > 0 && !stop.requested()) {
            if (progress() == 0) {
                worker.await(Math.min(waitNs, WAIT_MAX_NS));
            }
            waitNs = pace.waitNs(index, System.nanoTime());
        }
    }

    private void publish(MemorySegment message) {
        while (!stop.requested() && topic.publish(message, 0, message.byteSize()) < 0) {
            // A subscriber has no capacity: this side waits for it, as the topic's policy says.
            idle.idle(worker, progress());
        }
    }

    private int progress() {
        return worker.progress();
    }
}
