package io.fairlead.statistics;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.Status;
import java.util.List;

/**
 * What a context has counted over all its workers, past ones included. Implemented by Fairlead only. Thread-safe.
 *
 * <p>Reading costs the data path nothing: workers write plain memory, and readers see values that are at most moments old. A worker
 * that waits refreshes what it only adds up now and then (posted receives, credits) when it wakes.
 * Every method allocates little or nothing, and none blocks a worker.
 */
public interface Statistics extends Counters {
    /** The name under which operations and endpoints without a transport are counted. */
    String NO_TRANSPORT = "none";

    /**
     * The names by which the other methods tell transports apart.
     *
     * @return immutable and fixed: {@link #NO_TRANSPORT}, then the transports that are available here
     */
    List<String> transports();

    /**
     * Operations that have ended.
     *
     * @param transport one of {@link #transports()}
     * @param kind what they did
     * @param status how they ended
     * @return a count
     * @throws IllegalArgumentException if the transport is unknown
     */
    long operations(String transport, OperationKind kind, Status status);

    /**
     * Payload bytes of the operations that ended {@link Status#OK}; 0 for atomics and flushes.
     *
     * @param transport one of {@link #transports()}
     * @param kind what they did
     * @return bytes
     * @throws IllegalArgumentException if the transport is unknown
     */
    long bytes(String transport, OperationKind kind);

    /**
     * How long operations took from the post to the end, taken of one in {@code metrics.latency-sampling} of those that end
     * {@link Status#OK}. That of a receive includes the wait for its message.
     *
     * @param transport one of {@link #transports()}
     * @param kind what they did
     * @return a copy
     * @throws IllegalArgumentException if the transport is unknown
     */
    DurationHistogram latency(String transport, OperationKind kind);

    /**
     * How long answers on the control channel took, asked for four times in {@code liveness.timeout}.
     *
     * @param transport one of {@link #transports()}
     * @return a copy
     * @throws IllegalArgumentException if the transport is unknown
     */
    DurationHistogram controlRoundTrip(String transport);

    /**
     * Endpoints now.
     *
     * @param transport one of {@link #transports()}; endpoints have none until they are connected
     * @param state a state; those that have ended are not counted here
     * @return a count
     * @throws IllegalArgumentException if the transport is unknown
     */
    long endpoints(String transport, EndpointState state);

    /**
     * Connected endpoints now, by the path that they took.
     *
     * @param transport one of {@link #transports()}
     * @param pathClass the kind of path
     * @param cause why it was chosen
     * @return a count
     * @throws IllegalArgumentException if the transport is unknown
     */
    long paths(String transport, PathClass pathClass, PathCause cause);

    /**
     * Handshakes that a listener of this context refused.
     *
     * @param reason what the peer was told
     * @return a count
     */
    long refusals(FairleadException.Reason reason);

    /**
     * Endpoints that failed before they were connected, on either side.
     *
     * @param cause what was observed
     * @return a count
     */
    long connectFailures(FairleadException.Reason cause);

    /**
     * Endpoints that failed after they were connected.
     *
     * @param cause what was observed
     * @return a count
     */
    long peerFailures(FairleadException.Reason cause);

    /**
     * How long the peers of {@link #peerFailures} had not been heard of when their failure was noticed: an upper bound of the
     * time that detection took.
     *
     * @param cause what was observed
     * @return the sum over these failures, in nanoseconds
     */
    long detectionNs(FairleadException.Reason cause);
}
