package io.fairlead.spi;

/**
 * A transport's part of one worker. Every method is called from the worker's thread.
 */
public interface TransportWorker extends AutoCloseable {
    /**
     * What the peer needs to reach this worker; sent in the handshake and judged by {@link Transport#reach}.
     *
     * @return at most 4096 bytes, which mean the same at each call
     */
    byte[] address();

    /**
     * Makes an endpoint. Called when the handshake has chosen this transport; both sides do so.
     *
     * @param host the core's side of the endpoint
     * @param peerAddress the peer worker's {@link #address()}
     * @param connection the control connection of the endpoint. A transport that answers true to
     *     {@link #takesConnection()} owns it from now on, makes a {@link ControlCarrier}, and closes it; the others leave it alone
     * @return the endpoint; it may buffer operations until it can move them
     * @throws io.fairlead.FairleadException {@code TRANSPORT} with the cause
     */
    TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection);

    /**
     * Whether endpoints of this transport use the control connection for their data.
     *
     * @return never changes
     */
    boolean takesConnection();

    /**
     * Moves what can move without waiting.
     *
     * @return how many events were worked on
     */
    int progress();

    /**
     * Prepares to block. After true, the transport calls {@link WorkerHost#wakeup()}, or makes a channel of
     * {@link WorkerHost#selector()} ready, when {@link #progress()} has something to do; false means that it has already, or
     * that it cannot tell. Semantics: UCX {@code ucp_worker_arm}.
     *
     * @return whether the worker may block
     */
    boolean arm();

    /** Frees everything; called once, after every endpoint is closed. */
    @Override
    void close();
}
