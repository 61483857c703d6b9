package io.fairlead.node;

import java.time.Duration;

/** The requests of one tag that a node answers. Thread-safe. Implemented by Fairlead only. */
public interface Service extends AutoCloseable {
    /**
     * The tag of the requests.
     *
     * @return never changes
     */
    long tag();

    /**
     * How many requests have a slot now: their handler runs, or they are not answered yet.
     *
     * @return at most {@link ServiceOptions#concurrencyMax()}
     */
    int running();

    /**
     * How many requests wait for a slot now.
     *
     * @return at most {@link ServiceOptions#queueMax()}
     */
    int waiting();

    /**
     * Takes no further requests, and waits until those that are running or waiting are answered. Later requests are refused with
     * {@link RequestStatus#UNIMPLEMENTED}, which is safe to send again: a set asks another member. The node's other services continue.
     * {@link #close} has to follow.
     *
     * @param timeout how long to wait, 0 and up
     * @return true when all are answered; false if the time-out comes first, or the thread is interrupted
     * @throws IllegalStateException on a progress thread
     */
    boolean drain(Duration timeout);

    /**
     * Takes no further requests. Later requests are refused with {@link RequestStatus#UNIMPLEMENTED}, waiting ones with
     * {@link RequestStatus#UNAVAILABLE}; both are safe to send again. Running requests continue. Idempotent.
     */
    @Override
    void close();
}
