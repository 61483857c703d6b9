package io.fairlead.internal.statistics;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.DurationHistogram;
import io.fairlead.statistics.OperationKind;
import io.fairlead.statistics.Statistics;
import java.util.List;
import java.util.stream.Stream;

/**
 * The index of each count in a worker's one array: the counters first, then tables by transport and other closed sets.
 * The same for all workers of a context, so their arrays can be added.
 */
// Ordinals never leave the process, and are the cheapest indexes.
@SuppressWarnings("EnumOrdinal")
final class FigureLayout {
    static final int KINDS = OperationKind.values().length;
    /** The first kind of operation without a payload length. */
    static final int ATOMIC = OperationKind.ATOMIC.ordinal();

    static final List<Status> STATUSES = List.of(Status.values());
    /** The counts of one kind of operation: ended ones by status, and the bytes of successful ones. */
    static final int ROW = STATUSES.size() + 1;
    /** The position of the bytes among them. */
    static final int BYTES = STATUSES.size();
    /** The counts of the operations of one transport, or of one endpoint. */
    static final int OPERATIONS = KINDS * ROW;

    private static final int STATES = EndpointState.values().length;
    private static final int CLASSES = PathClass.values().length;
    private static final int CAUSES = PathCause.values().length;
    private static final int REASONS = Reason.values().length;
    /** The buckets followed by the sum. */
    private static final int HISTOGRAM = DurationHistogram.BUCKETS + 1;

    private final List<String> transports;
    private final int operations;
    private final int latency;
    private final int roundTrip;
    private final int states;
    private final int paths;
    private final int refusals;
    private final int connectFailures;
    private final int peerFailures;
    private final int detection;
    private final int size;

    /** Creates the layout of a context with the named transports. */
    FigureLayout(Iterable<String> names) {
        Stream.Builder<String> all = Stream.<String>builder().add(Statistics.NO_TRANSPORT);
        names.forEach(all::add);
        transports = all.build().toList();
        int count = transports.size();
        operations = Counter.values().length;
        latency = operations + count * OPERATIONS;
        roundTrip = latency + count * KINDS * HISTOGRAM;
        states = roundTrip + count * HISTOGRAM;
        paths = states + count * STATES;
        refusals = paths + count * CLASSES * CAUSES;
        connectFailures = refusals + REASONS;
        peerFailures = connectFailures + REASONS;
        detection = peerFailures + REASONS;
        size = detection + REASONS;
    }

    List<String> transports() {
        return transports;
    }

    int transportCount() {
        return transports.size();
    }

    int size() {
        return size;
    }

    /** The number of counts, the first ones, that endpoints have as well. */
    int endpointFigures() {
        return latency;
    }

    /** The number of a transport; 0 is none. */
    int transport(String name) {
        int index = transports.indexOf(name);
        if (index < 0) {
            throw new IllegalArgumentException("unknown transport: transport=" + name + ", known=" + transports);
        }
        return index;
    }

    int operation(int transport, int kind, Status status) {
        return operations(transport) + operation(kind, status);
    }

    int bytes(int transport, int kind) {
        return operations(transport) + bytes(kind);
    }

    /**
     * The index of a transport's operations: for each kind the counts by status, followed by the bytes of successful
     * ones.
     */
    int operations(int transport) {
        return operations + transport * OPERATIONS;
    }

    /** The transport of an operation count's index. */
    int transportAt(int figure) {
        return (figure - operations) / OPERATIONS;
    }

    static int operation(int kind, Status status) {
        return kind * ROW + status.ordinal();
    }

    static int bytes(int kind) {
        return kind * ROW + BYTES;
    }

    /** The index of the first bucket. */
    int latency(int transport, int kind) {
        return latency + (transport * KINDS + kind) * HISTOGRAM;
    }

    /** The index of the first bucket. */
    int roundTrip(int transport) {
        return roundTrip + transport * HISTOGRAM;
    }

    int state(int transport, EndpointState state) {
        return states + transport * STATES + state.ordinal();
    }

    int path(int transport, PathClass pathClass, PathCause cause) {
        return paths + (transport * CLASSES + pathClass.ordinal()) * CAUSES + cause.ordinal();
    }

    int refusal(Reason reason) {
        return refusals + reason.ordinal();
    }

    int connectFailure(Reason cause) {
        return connectFailures + cause.ordinal();
    }

    int peerFailure(Reason cause) {
        return peerFailures + cause.ordinal();
    }

    int detection(Reason cause) {
        return detection + cause.ordinal();
    }
}
