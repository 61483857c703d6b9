package io.fairlead.cli.pubsub;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.IdleStrategy;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The duty cycle of {@code fairlead sub}, and what it does with messages and events; one thread, that of the worker. */
final class SubscribeLoop implements MessageHandler, SubscriptionEvents {
    private static final double SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final OutputThread output;
    private final Limits limits;
    private final long startNs = System.nanoTime();
    private long received;
    private long lastMessageNs = startNs;
    private boolean joined;
    private boolean done;
    private @Nullable RuntimeException failure;

    SubscribeLoop(OutputThread output, Limits limits) {
        this.output = output;
        this.limits = limits;
    }

    /** When to end; 0 for never, but for the wait for a publisher, which 0 leaves out. */
    record Limits(
            Address publisher,
            String topic,
            long count,
            boolean reconnect,
            double waitSeconds,
            double timeoutSeconds) {}

    /** Runs until the publisher ends, the count is reached, the reader of the output goes, or a stop is requested. */
    void run(Worker worker, Subscriber subscriber, IdleStrategy idle, StopSignal stop) throws Exception {
        while (!done && !stop.requested() && output.writable()) {
            // Messages wait at the publisher while the output is behind.
            if (output.hasRoom()) {
                subscriber.resume();
            } else {
                subscriber.pause();
            }
            idle.idle(worker, worker.progress());
            checkTime();
            if (failure != null) {
                throw failure;
            }
        }
    }

    @Override
    public void message(String topic, long sequence, MemorySegment buffer, long offset, long length) {
        if (done) {
            return;
        }
        byte[] copy = new byte[(int) length];
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, offset, copy, 0, copy.length);
        output.add(copy);
        lastMessageNs = System.nanoTime();
        done = ++received == limits.count();
    }

    @Override
    public void joined(Subscription subscription, long nextSequence) {
        joined = true;
    }

    @Override
    public void gap(Subscription subscription, long firstSequence, long lastSequence, GapCause cause) {
        tell("missed " + (lastSequence - firstSequence + 1) + " messages, numbers " + firstSequence + " to "
                + lastSequence + ", "
                + switch (cause) {
                    case SLOW -> "being slow";
                    case DISCONNECTED -> "while disconnected";
                });
    }

    @Override
    public void restarted(Subscription subscription, long lastSequence, long nextSequence) {
        tell("the publisher was restarted; goes on with its message " + nextSequence);
    }

    @Override
    public void disconnected(Subscription subscription, FairleadException cause) {
        if (limits.reconnect()) {
            tell("connection ended, connecting again: " + cause.getMessage());
        } else if (cause.reason() != Reason.CLOSED) {
            failure = CommandFailure.failed("publisher lost: address=" + limits.publisher() + ", received=" + received
                    + " messages; " + cause.getMessage() + "; --reconnect goes on after a loss");
        } else if (limits.count() > 0) {
            failure = CommandFailure.failed("publisher ended early: address=" + limits.publisher() + ", received="
                    + received + ", --count=" + limits.count());
        } else {
            done = true;
        }
    }

    @Override
    public void ended(Subscription subscription, FairleadException cause) {
        if (failure == null) {
            failure = cause.reason() == Reason.CONNECTION_REFUSED ? nothingListens() : cause;
        }
    }

    private void checkTime() {
        long nowNs = System.nanoTime();
        if (!joined && limits.waitSeconds() > 0 && nowNs - startNs > limits.waitSeconds() * SECOND_NS) {
            failure = nothingListens();
        } else if (limits.timeoutSeconds() > 0 && nowNs - lastMessageNs > limits.timeoutSeconds() * SECOND_NS) {
            failure = CommandFailure.failed("no message in time: topic=" + limits.topic() + ", received=" + received
                    + ", --timeout=" + limits.timeoutSeconds() + " s; check that its publisher publishes");
        }
    }

    private CommandFailure nothingListens() {
        return CommandFailure.failed("nothing listens: address=" + limits.publisher()
                + "; start the publisher first (fairlead pub " + limits.topic()
                + "), or wait longer for it (--wait SECONDS)");
    }

    private static void tell(String line) {
        System.err.println("fairlead: " + line);
    }
}
