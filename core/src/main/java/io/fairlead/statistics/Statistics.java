package io.fairlead.statistics;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.Status;
import java.util.List;

/**
 * The statistics of a context over all of its workers, including closed ones: counters, and tables by transport,
 * operation, path and cause. Returned by {@link io.fairlead.Context#statistics()}. Implemented by Fairlead only.
 * Thread-safe.
 *
 * <p>Workers write without synchronization, so reading neither slows the data path nor blocks a worker. Readers see
 * values that are moments old. A waiting worker updates its posted receives and credits only when it wakes. All counts
 * are 0 and up.
 */
public interface Statistics extends Counters {
    /** The transport name of endpoints that are not connected, and of operations that ended without a transport. */
    String NO_TRANSPORT = "none";

    /** The identity name for all peers whose identities are not counted separately. */
    String OTHER_IDENTITIES = "other";

    /**
     * The transport names that the other methods accept.
     *
     * @return {@link #NO_TRANSPORT}, then the transports that this context can use; immutable, and never changes
     */
    List<String> transports();

    /**
     * The number of operations that have completed.
     *
     * @param transport one of {@link #transports()}
     * @param kind the kind of operation
     * @param status the outcome of the operations
     * @return the count
     * @throws IllegalArgumentException if the transport is unknown
     */
    long operations(String transport, OperationKind kind, Status status);

    /**
     * The payload bytes of the operations that have completed with {@link Status#OK}.
     *
     * @param transport one of {@link #transports()}
     * @param kind the kind of operation
     * @return bytes; 0 for atomics and flushes
     * @throws IllegalArgumentException if the transport is unknown
     */
    long bytes(String transport, OperationKind kind);

    /**
     * The latency of operations, from the post to the completion. One operation in {@code metrics.latency-sampling} is
     * timed. It is counted if it completes with {@link Status#OK}. The latency of a receive includes the wait for its
     * message.
     *
     * @param transport one of {@link #transports()}
     * @param kind the kind of operation
     * @return the histogram at this moment
     * @throws IllegalArgumentException if the transport is unknown
     */
    DurationHistogram latency(String transport, OperationKind kind);

    /**
     * The round-trip time of the pings on the control channel. Each endpoint sends four in every {@code liveness.timeout}.
     *
     * @param transport one of {@link #transports()}
     * @return the histogram at this moment
     * @throws IllegalArgumentException if the transport is unknown
     */
    DurationHistogram controlRoundTrip(String transport);

    /**
     * The number of endpoints that are in a state now.
     *
     * @param transport one of {@link #transports()}; {@link #NO_TRANSPORT} for endpoints that are not connected yet
     * @param state the state; endpoints that have ended, closed or failed, are not counted
     * @return the count
     * @throws IllegalArgumentException if the transport is unknown
     */
    long endpoints(String transport, EndpointState state);

    /**
     * The number of endpoints that are connected now, by the path that they took.
     *
     * @param transport one of {@link #transports()}
     * @param pathClass the kind of path
     * @param cause why the path was chosen
     * @return the count
     * @throws IllegalArgumentException if the transport is unknown
     */
    long paths(String transport, PathClass pathClass, PathCause cause);

    /**
     * The identities of peers that {@link #value(Counter, String)} accepts: {@code anonymous} and
     * {@link #OTHER_IDENTITIES}, then up to {@code metrics.identities-max} connected ones in order of their first
     * connections. A peer's identity is the text of its {@link io.fairlead.PeerIdentity}.
     *
     * @return immutable; every returned identity is also in later lists
     */
    List<String> identities();

    /**
     * A counter over the endpoints whose peers have one identity, including closed ones.
     *
     * @param counter one that endpoints have, or {@link Counter#ENDPOINTS_CONNECTED}; 0 for the others
     * @param identity one of {@link #identities()}
     * @return its value at this moment
     * @throws IllegalArgumentException if the identity is unknown
     */
    long value(Counter counter, String identity);

    /**
     * The number of endpoints that are connected now to peers of one identity.
     *
     * @param identity one of {@link #identities()}
     * @return the count
     * @throws IllegalArgumentException if the identity is unknown
     */
    long connectedEndpoints(String identity);

    /**
     * The number of handshakes that the listeners of this context have refused.
     *
     * @param reason the reason that was sent to the peer
     * @return the count
     */
    long refusals(FairleadException.Reason reason);

    /**
     * The number of endpoints that failed before they were connected, as connector or as listener.
     *
     * @param cause the reason of their failure
     * @return the count
     */
    long connectFailures(FairleadException.Reason cause);

    /**
     * The number of endpoints that failed after they were connected.
     *
     * @param cause the reason of their failure
     * @return the count
     */
    long peerFailures(FairleadException.Reason cause);

    /**
     * The time between the last sign of life of a peer and the detection of its failure, summed up over the endpoints
     * in {@link #peerFailures}. It is an upper bound of the detection time.
     *
     * @param cause the reason of their failure
     * @return nanoseconds
     */
    long detectionNs(FairleadException.Reason cause);
}
