package io.fairlead;

import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Set;

/**
 * Decides what an authenticated peer may do. An application implements it and passes it to
 * {@link Context#open(FairleadConfig, Authorizer)}. The file of rules in {@code security.acl} does the same without
 * code. With neither, an authenticated peer may do everything.
 *
 * <p>Thread-safe: all workers call its methods on their own threads, inside {@link Worker#progress()}. Methods must not
 * block. A method that throws refuses the peer.
 *
 * <p>No data-path operation calls it. Connections and the right to send messages are decided once, regions once per
 * endpoint, topics once per subscription. Requests alone are decided each time.
 */
public interface Authorizer {
    /**
     * Prefix of the label of the region that holds a topic's snapshot; the topic's name follows. A peer that may
     * subscribe may read the snapshot, without a call of {@link #region}.
     */
    String TOPIC_LABEL = "topic:";

    /** Allows everything. */
    Authorizer ALL = (_, _) -> Verdict.ALLOWED;

    /**
     * Whether a peer may connect to a listener of this context. A peer that is refused gets {@code REFUSED} with the reason.
     *
     * @param peer who the peer has proved to be
     * @param source where it connects from
     * @return allowed, or refused with a reason that both sides log
     */
    Verdict connect(PeerIdentity peer, InetSocketAddress source);

    /**
     * Whether this context may use a listener that it has connected to. A listener that is refused finds the connection closed, and the endpoint ends with
     * {@code UNTRUSTED} and the reason.
     *
     * @param peer who the listener has proved to be
     * @param address where it listens, as the caller of {@link Worker#connect(InetSocketAddress, EndpointHandler)} gave it
     * @return allowed unless overridden
     */
    default Verdict listener(PeerIdentity peer, InetSocketAddress address) {
        return Verdict.ALLOWED;
    }

    /**
     * Whether a peer may send tagged messages to this context. Messages of layers, such as requests and publications,
     * are decided by their own methods. If a refused peer sends a tagged message, its endpoint ends with
     * {@code REFUSED} and the reason.
     *
     * @param peer who the peer has proved to be
     * @return allowed unless overridden
     */
    default Verdict messages(PeerIdentity peer) {
        return Verdict.ALLOWED;
    }

    /**
     * Whether a peer may make requests of a service of this context's node. A refused request ends
     * {@code PERMISSION_DENIED} with the reason. Called for each request.
     *
     * @param peer who the peer has proved to be
     * @param service the service's tag
     * @return allowed unless overridden
     */
    default Verdict request(PeerIdentity peer, long service) {
        return Verdict.ALLOWED;
    }

    /**
     * Whether a peer may publish a topic to subscriptions of this context.
     *
     * @param peer who the publisher has proved to be
     * @param topic the topic's name
     * @return allowed unless overridden
     */
    default Verdict publish(PeerIdentity peer, String topic) {
        return Verdict.ALLOWED;
    }

    /**
     * Whether a peer may subscribe to a topic of a publisher of this context, its snapshot included.
     *
     * @param peer who the subscriber has proved to be
     * @param topic the topic's name
     * @return allowed unless overridden
     */
    default Verdict subscribe(PeerIdentity peer, String topic) {
        return Verdict.ALLOWED;
    }

    /**
     * What a peer may do to a memory region of this context. The peer never gets more than the rights that the region
     * was created with.
     *
     * @param peer who the peer has proved to be
     * @param label the region's {@link MemoryRegion#label()}
     * @return the rights; all unless overridden. Empty: the region is refused
     */
    default Set<AccessRight> region(PeerIdentity peer, String label) {
        return Set.of(AccessRight.values());
    }

    /**
     * An answer. Immutable.
     *
     * @param isAllowed whether the peer may
     * @param reason why not, in one line that the peer reads too; empty if it may
     */
    record Verdict(boolean isAllowed, String reason) {
        /** The peer may. */
        public static final Verdict ALLOWED = new Verdict(true, "");

        /** Checks the reason. */
        public Verdict {
            Objects.requireNonNull(reason, "reason");
        }

        /**
         * The peer may not.
         *
         * @param reason why, in one line
         * @return the answer
         */
        public static Verdict refused(String reason) {
            return new Verdict(false, reason);
        }
    }
}
