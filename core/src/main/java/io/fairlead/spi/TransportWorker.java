package io.fairlead.spi;

/**
 * A transport's part of one worker. Belongs to the worker's thread, on which the core calls every method.
 */
public interface TransportWorker extends AutoCloseable {
    /**
     * The address of this worker: the bytes that a peer needs to connect to it. The handshake sends them;
     * {@link Transport#reach} and {@link #connect} read them.
     *
     * @return at most 4096 bytes, equivalent at each call
     */
    byte[] address();

    /**
     * Creates an endpoint. The core of each side calls this when the handshake has chosen this transport.
     *
     * @param host the core's side of the endpoint
     * @param peerAddress the peer worker's {@link #address()}
     * @param connection the control connection of the endpoint. A transport whose {@link #takesConnection()} is true
     *     owns it from now on, returns a {@link ControlCarrier}, and closes both together; other transports must not
     *     use it
     * @return the endpoint
     * @throws io.fairlead.FairleadException {@code TRANSPORT} with the cause, if the endpoint cannot be created
     */
    TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection);

    /**
     * Whether endpoints of this transport use the control connection for their data.
     *
     * @return the same at each call
     */
    boolean takesConnection();

    /**
     * Whether endpoints of this transport exchange their own messages to connect, after {@link WireUpEndpoint#begin()}.
     * The handshake then continues until the endpoints of both sides are
     * {@linkplain TransportEndpoint#isReady() ready}. If one of them fails before, both are closed and the next path is
     * tried.
     *
     * @return the same at each call, and on both sides; false unless overridden
     */
    default boolean connectsByItself() {
        return false;
    }

    /**
     * Makes progress: sends and receives what it can without waiting, and completes operations.
     *
     * @return how many events were handled; 0 if there was nothing to do
     */
    int progress();

    /**
     * Prepares for the worker to block. Semantics: UCX {@code ucp_worker_arm}.
     *
     * @return true if the worker may block: as soon as {@link #progress()} has something to do, the transport calls
     *     {@link WorkerHost#wakeup()} or a channel of {@link WorkerHost#selector()} becomes ready. False if there is
     *     something to do already, or if the transport cannot guarantee that
     */
    boolean arm();

    /** Frees all resources of the worker. Called once, after all of its endpoints are closed. */
    @Override
    void close();
}
