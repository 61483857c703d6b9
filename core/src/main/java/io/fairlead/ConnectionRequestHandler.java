package io.fairlead;

/** Is told of the connections that a listener accepts, before their handshakes. */
@FunctionalInterface
public interface ConnectionRequestHandler {
    /**
     * A peer wants to connect. Runs on the thread of the listener's worker inside {@link Worker#progress()}; it may accept the request on
     * that worker, or hand it to the thread of another. If it throws, that is logged, and the request is rejected unless it has been accepted.
     *
     * @param request to be answered, now or later, on whatever thread
     */
    void requested(ConnectionRequest request);
}
