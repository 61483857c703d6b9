package io.fairlead;

import io.fairlead.FairleadException.Reason;
import java.net.InetSocketAddress;

/**
 * A connection that a listener has accepted and nobody has answered: no byte of the peer has been read. It is answered once, by
 * {@link Worker#accept} on the thread of any worker of the listener's context, or by {@link #reject()}. Thread-safe. Implemented by
 * Fairlead only.
 *
 * <p>A request that nobody answers ends after {@code connect.timeout}, or when its listener closes. Until the handshake begins it counts
 * among the handshakes that {@code listener.pending-max} allows, so that a listener whose requests are not answered stops accepting.
 *
 * <p>Semantics: UCX {@code ucp_conn_request_h}, {@code ucp_listener_reject}.
 */
public interface ConnectionRequest {
    /**
     * Where the peer connects from.
     *
     * @return never changes
     */
    InetSocketAddress remoteAddress();

    /**
     * Refuses the peer as {@link #reject(Reason, String)} does, with {@link Reason#REFUSED}: it is not to try again.
     */
    default void reject() {
        reject(Reason.REFUSED, "the listener's application rejected the connection request");
    }

    /**
     * Refuses the peer, whose endpoint fails for this reason. The listener's worker tells it so in progress. Callable from any thread. Does nothing
     * to a request that is answered or has ended; an accepted one is given up by closing its endpoint.
     *
     * @param reason such as {@link Reason#LIMIT_REACHED}, whose advice is to try again later
     * @param message what the peer's failure says, one line; cut where it is longer than a refusal may be
     */
    void reject(Reason reason, String message);
}
