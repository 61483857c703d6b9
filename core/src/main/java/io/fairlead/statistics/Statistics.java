package io.fairlead.statistics;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.Status;
import java.util.List;

/**
 * The statistics of a context over all of its workers, closed ones included: counters, and tables by transport, operation, path and cause. Got
 * from {@link io.fairlead.Context#statistics()}. Implemented by Fairlead only. Thread-safe.
 *
 * <p>Workers write without synchronization, so that reading costs the data path nothing and blocks no worker. Readers see values that are moments
 * old. A waiting worker brings its posted receives and credits up to date only when it wakes. All counts are 0 and up.
 */
public interface Statistics extends Counters {
    /** The name that stands for no transport: that of endpoints which are not connected, and of operations which ended without one. */
    String NO_TRANSPORT = "none";

    /** The name that stands for the identities of peers which are not counted apart. */
    String OTHER_IDENTITIES = "other";

    /**
     * The transports that the other methods take by name.
     *
     * @return {@link #NO_TRANSPORT}, then the transports that this context can use; immutable, and never changes
     */
    List<String> transports();

    /**
     * The number of operations that have completed.
     *
     * @param transport one of {@link #transports()}
     * @param kind the kind of operation
     * @param status how they completed
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
     * The latency of operations, from the post to the completion. One operation in {@code metrics.latency-sampling} is timed, and counts if it
     * completes with {@link Status#OK}. The latency of a receive includes the wait for its message.
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
     * The identities of peers that {@link #value(Counter, String)} takes: {@code anonymous} and {@link #OTHER_IDENTITIES}, then those that have connected, in that order, up to
     * {@code metrics.identities-max} of them. A peer's is the text of its {@link io.fairlead.PeerIdentity}.
     *
     * @return immutable; those that it has now remain in later lists
     */
    List<String> identities();

    /**
     * A counter over the endpoints whose peers have one identity, closed ones included.
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
     * @param reason the reason that the peer was told
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
     * The time from the last sign of life of a peer to the moment when its failure was noticed, summed up over the endpoints in
     * {@link #peerFailures}: an upper bound of the time that detection took.
     *
     * @param cause the reason of their failure
     * @return nanoseconds
     */
    long detectionNs(FairleadException.Reason cause);
}
