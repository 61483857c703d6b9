package io.fairlead;

/** Receives the connections that a listener accepts, before their handshakes. */
@FunctionalInterface
public interface ConnectionRequestHandler {
    /**
     * A peer wants to connect. Runs on the thread of the listener's worker inside {@link Worker#progress()}. It may
     * accept the request on that worker, or pass it to the thread of another. If it throws, the exception is logged,
     * and the request is rejected unless it was accepted before.
     *
     * @param request to be answered, now or later, on whatever thread
     */
    void requested(ConnectionRequest request);
}
