package io.fairlead;

import io.fairlead.FairleadException.Reason;
import java.net.InetSocketAddress;

/**
 * A connection that a listener has accepted and that is not answered yet; no byte of the peer has been read. It is
 * answered once: by {@link Worker#accept} on the thread of any worker of the listener's context, or by
 * {@link #reject()}. Thread-safe. Implemented by Fairlead only.
 *
 * <p>An unanswered request ends after {@code connect.timeout}, or when its listener closes. Until its handshake begins
 * it counts towards {@code listener.pending-max}. A listener with that many unanswered requests stops accepting.
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
     * Refuses the peer as {@link #reject(Reason, String)} does, with {@link Reason#REFUSED}: the peer should not retry.
     */
    default void reject() {
        reject(Reason.REFUSED, "the listener's application rejected the connection request");
    }

    /**
     * Refuses the peer, whose endpoint fails with this reason. The listener's worker sends the refusal in progress.
     * Callable from any thread. Has no effect on a request that is answered or has ended; an accepted connection is
     * ended by closing its endpoint.
     *
     * @param reason such as {@link Reason#LIMIT_REACHED}, which advises the peer to retry later
     * @param message the message of the peer's failure, one line; truncated to the maximum length of a refusal
     */
    void reject(Reason reason, String message);
}
