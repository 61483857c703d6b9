package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.Status;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.DirectEndpoint;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.statistics.Counter;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a post on one endpoint looks at and changes: the transport that takes it, the credits that pay for it, and the operations that it takes. On the
 * worker's thread.
 */
final class PostingState {
    private final OperationOwner owner;
    private final OperationPool pool;
    private final CompletionDelivery completions;
    private final WorkerStatistics statistics;
    private final CoarseClock clock;
    private final Consumer<Throwable> onThrown;
    /** Null until connected, and again from the moment that the endpoint takes no more operations. */
    private @Nullable TransportEndpoint transport;

    private Credits credits = new Credits(0, 0, 0);
    /** What a post is answered without a transport. */
    private long refusal = Endpoint.NOT_CONNECTED;
    /** The last post was answered with back-pressure, at this time of the worker's coarse clock. */
    private boolean stalled;

    private long stalledNs;

    /**
     * Creates the state of an endpoint that is not connected.
     *
     * @param onThrown told what a transport has thrown out of a post whose operation it had ended before
     */
    PostingState(
            OperationOwner owner,
            CompletionDelivery completions,
            WorkerStatistics statistics,
            CoarseClock clock,
            Consumer<Throwable> onThrown) {
        this.owner = owner;
        this.pool = completions.pool();
        this.completions = completions;
        this.statistics = statistics;
        this.clock = clock;
        this.onThrown = onThrown;
    }

    // What the endpoint's lifecycle tells.

    /** Both sides know what may be under way. */
    void useCredits(Credits agreed) {
        credits = agreed;
    }

    /** The endpoint takes operations. */
    void open(@Nullable TransportEndpoint connected) {
        transport = connected;
    }

    /** The endpoint takes no more operations. */
    void close() {
        transport = null;
    }

    /** The endpoint's state has changed, and what a post is answered with it. */
    void answerAs(EndpointState state) {
        Status answer = switch (state) {
            case CONNECTING, CONNECTED -> Status.NOT_CONNECTED;
            case CLOSING, CLOSED -> Status.CLOSED;
            case FAILED -> Status.PEER_FAILED;
        };
        refusal = answer.code();
    }

    // What a post asks and tells.

    @Nullable TransportEndpoint transport() {
        return transport;
    }

    Credits credits() {
        return credits;
    }

    OperationOwner owner() {
        return owner;
    }

    /** What a post is answered while {@link #transport()} is null. */
    long refusal() {
        return refusal;
    }

    /** An operation for a post, or null if as many as allowed are in flight. */
    @Nullable CoreOperation take(int kind, Completion completion, long userData) {
        Objects.requireNonNull(completion, "completion");
        CoreOperation operation = pool.take();
        if (operation != null) {
            // First what may call something: what is stored behind it the compiler still knows at the end of the post.
            long startedNs = statistics.sampleStart();
            operation.prepare(kind, owner, completion, userData, startedNs);
            owner.add(kind);
            completions.beginPost(operation);
            if (stalled) {
                endStall();
            }
        }
        return operation;
    }

    /** Where an operation may be done whose post ends with its completion; null if it is to be posted as any other. */
    @Nullable DirectEndpoint direct(Completion completion) {
        return transport instanceof DirectEndpoint direct && completions.mayTellInPost(completion) ? direct : null;
    }

    /** What the post of an operation answers that was done inside it. Its completion has run. */
    long done(int kind, long tag, long length, Completion completion, long userData) {
        if (stalled) {
            endStall();
        }
        return completions.tellInPost(kind, owner, tag, length, completion, userData);
    }

    /** What a post answers. The operation is not the post's any more if its completion has run. */
    long finishPost(boolean taken, CoreOperation operation, long id) {
        if (!taken) {
            return refuse(operation);
        }
        completions.endPost(operation);
        return id;
    }

    /** The operation was not taken after all. */
    void giveBack(CoreOperation operation) {
        completions.endPost(operation);
        owner.end(operation.kind);
        operation.releaseKey();
        pool.giveBack(operation);
        owner.remove();
    }

    /**
     * The transport threw out of a post. False if it had ended the operation before that: the post then stands, and the completion follows, but
     * the endpoint has come to its end.
     */
    boolean tryTakeBack(CoreOperation operation, Throwable thrown) {
        if (operation.state == CoreOperation.COMPLETED) {
            onThrown.accept(thrown);
            completions.endPost(operation);
            return false;
        }
        giveBack(operation);
        return true;
    }

    /** The transport had no room, or has just failed. */
    long refuse(CoreOperation operation) {
        giveBack(operation);
        return transport == null ? refusal : backPressure();
    }

    /** Counts a post that nothing came of, and answers it. */
    long backPressure() {
        owner.counters().add(Counter.BACK_PRESSURE_EVENTS, 1);
        if (!stalled) {
            stalled = true;
            stalledNs = clock.nowNs();
        }
        return Endpoint.BACK_PRESSURE;
    }

    /** A post is taken again, or none will be. */
    void endStall() {
        if (stalled) {
            stalled = false;
            owner.counters().add(Counter.BACK_PRESSURE_NS, Math.max(0, clock.nowNs() - stalledNs));
        }
    }
}
