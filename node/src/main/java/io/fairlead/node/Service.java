package io.fairlead.node;

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
     * Takes no further requests. Later requests are refused with {@link RequestStatus#NOT_FOUND}, waiting ones with
     * {@link RequestStatus#UNAVAILABLE}; both are safe to send again. Running requests continue. Idempotent.
     */
    @Override
    void close();
}
