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
 * The state of posts on one endpoint: the transport, the credits, and the operations. On the worker's thread.
 */
final class PostingState {
    private final OperationOwner owner;
    private final OperationPool pool;
    private final CompletionDelivery completions;
    private final WorkerStatistics statistics;
    private final CoarseClock clock;
    private final Consumer<Throwable> onThrown;
    /** Null until connected, and again once the endpoint accepts no more operations. */
    private @Nullable TransportEndpoint transport;

    private Credits credits = new Credits(0, 0, 0);
    /** The result of a post without a transport. */
    private long refusal = Endpoint.NOT_CONNECTED;
    /** The last post returned back-pressure; its time on the worker's coarse clock follows. */
    private boolean stalled;

    private long stalledNs;

    /**
     * Creates the state of an endpoint that is not connected.
     *
     * @param onThrown notified of an exception of a transport from a post whose operation had already ended
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

    // Called by the endpoint's life cycle.

    /** Both sides have negotiated the credits. */
    void useCredits(Credits agreed) {
        credits = agreed;
    }

    /** The endpoint accepts operations. */
    void open(@Nullable TransportEndpoint connected) {
        transport = connected;
    }

    /** The endpoint accepts no more operations. */
    void close() {
        transport = null;
    }

    /** The endpoint's state has changed, and with it the result of a post. */
    void answerAs(EndpointState state) {
        Status answer = switch (state) {
            case CONNECTING, CONNECTED -> Status.NOT_CONNECTED;
            case CLOSING, CLOSED -> Status.CLOSED;
            case FAILED -> Status.PEER_FAILED;
        };
        refusal = answer.code();
    }

    // Called by posts.

    @Nullable TransportEndpoint transport() {
        return transport;
    }

    Credits credits() {
        return credits;
    }

    OperationOwner owner() {
        return owner;
    }

    /** The result of a post while {@link #transport()} is null. */
    long refusal() {
        return refusal;
    }

    /** An operation for a post, or null if the limit is reached. */
    @Nullable CoreOperation take(int kind, Completion completion, long userData) {
        Objects.requireNonNull(completion, "completion");
        CoreOperation operation = pool.take();
        if (operation != null) {
            // Calls that are not inlined come first: the compiler then still knows the values stored after them at the
            // end of the post.
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

    /** The endpoint for an operation whose post ends with its completion; null if it must be posted normally. */
    @Nullable DirectEndpoint direct(Completion completion) {
        return transport instanceof DirectEndpoint direct && completions.mayCompleteInPost(completion) ? direct : null;
    }

    /** The result of a post whose operation was done inside it. Its completion has run. */
    long done(int kind, long tag, long length, Completion completion, long userData) {
        if (stalled) {
            endStall();
        }
        return completions.completeInPost(kind, owner, tag, length, completion, userData);
    }

    /** The result of a post. The operation may be in other use if its completion has run. */
    long finishPost(boolean taken, CoreOperation operation, long id) {
        if (!taken) {
            return refuse(operation);
        }
        completions.endPost(operation);
        return id;
    }

    /** The operation was not accepted. */
    void giveBack(CoreOperation operation) {
        completions.endPost(operation);
        owner.end(operation.kind);
        operation.releaseKey();
        pool.giveBack(operation);
        owner.remove();
    }

    /**
     * The transport threw an exception from a post. False if it had ended the operation before: the post is then valid,
     * and the completion follows, but the endpoint ends.
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

    /** The transport's queue was full, or it has just failed. */
    long refuse(CoreOperation operation) {
        giveBack(operation);
        return transport == null ? refusal : backPressure();
    }

    /** Counts a refused post, and returns its result. */
    long backPressure() {
        owner.counters().add(Counter.BACK_PRESSURE_EVENTS, 1);
        if (!stalled) {
            stalled = true;
            stalledNs = clock.nowNs();
        }
        return Endpoint.BACK_PRESSURE;
    }

    /** A post is accepted again, or none will be. */
    void endStall() {
        if (stalled) {
            stalled = false;
            owner.counters().add(Counter.BACK_PRESSURE_NS, Math.max(0, clock.nowNs() - stalledNs));
        }
    }
}
