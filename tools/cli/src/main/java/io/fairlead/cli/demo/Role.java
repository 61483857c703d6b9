package io.fairlead.cli.demo;

import io.fairlead.IdleStrategy;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** What distinguishes the demo's subscribers. */
enum Role {
    /** Takes rows the moment they come, at the price of some processor time while none do. */
    FAST(Feed.LOSSLESS, 1024, 0),
    /** Takes rows as they come, and leaves the processor alone while none do. */
    STEADY(Feed.LOSSLESS, 1024, 0),
    /** Takes eight rows every three milliseconds, and so chooses the topic that drops what it cannot take. */
    SLOW(Feed.LOSSY, 8, TimeUnit.MILLISECONDS.toNanos(3));

    private final String topic;
    private final int deliverMax;
    private final long intervalNs;

    Role(String topic, int deliverMax, long intervalNs) {
        this.topic = topic;
        this.deliverMax = deliverMax;
        this.intervalNs = intervalNs;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    String topic() {
        return topic;
    }

    /** How many rows it takes at a time. */
    int deliverMax() {
        return deliverMax;
    }

    /** How long it does nothing after taking some, in nanoseconds. */
    long intervalNs() {
        return intervalNs;
    }

    IdleStrategy idleStrategy() {
        return switch (this) {
            case FAST -> IdleStrategy.backOff();
            case STEADY -> IdleStrategy.blocking();
            case SLOW ->
                (worker, events) -> {
                    if (events == 0) {
                        worker.await(intervalNs);
                    }
                };
        };
    }
}
