package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.Status;
import io.fairlead.internal.statistics.CounterSet;
import io.fairlead.internal.statistics.EndpointStatistics;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.statistics.Counter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a post on one endpoint looks at and changes: the transport that takes it, the credits that pay for it, and the operations whose
 * completions have not run. On the worker's thread, but for {@link #pending()}.
 */
final class PostingState {
    private static final VarHandle PENDING;

    static {
        try {
            PENDING = MethodHandles.lookup().findVarHandle(PostingState.class, "pending", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CoreWorker worker;
    private final EndpointStatistics statistics;
    private final CounterSet counters;
    /** Null until connected, and again from the moment that the endpoint takes no more operations. */
    private @Nullable TransportEndpoint transport;

    private Credits credits = new Credits(0, 0, 0);
    /** What a post is answered without a transport. */
    private long refusal = Endpoint.NOT_CONNECTED;
    /** Operations whose completions have not run. */
    private int pending;
    /** Of those, the ones that a graceful close waits for. */
    private int outgoing;
    /** Told when no operation is pending any more. */
    private @Nullable Runnable settled;
    /** The last post was answered with back-pressure, at this time of the worker's coarse clock. */
    private boolean stalled;

    private long stalledNs;

    PostingState(CoreWorker worker) {
        this.worker = worker;
        this.statistics = worker.statistics().newEndpoint(this::pending);
        this.counters = statistics.counters();
    }

    // What the endpoint's lifecycle tells.

    /** Both sides know what may be under way. */
    void agree(Credits agreed) {
        credits = agreed;
    }

    /** The endpoint takes operations. */
    void open(@Nullable TransportEndpoint connected) {
        transport = connected;
    }

    /** The endpoint takes no more operations. */
    void shut() {
        transport = null;
    }

    /** The endpoint's state has changed, and what a post is answered with it. */
    void become(EndpointState state) {
        Status answer = switch (state) {
            case CONNECTING, CONNECTED -> Status.NOT_CONNECTED;
            case CLOSING, CLOSED -> Status.CLOSED;
            case FAILED -> Status.PEER_FAILED;
        };
        refusal = answer.code();
    }

    /** The endpoint is taken down: has somebody told, now or later, that no operation is pending. */
    void whenSettled(Runnable told) {
        settled = told;
        if (pending == 0) {
            told.run();
        }
    }

    /** Whether an operation that a graceful close waits for has not ended. */
    boolean isBusy() {
        return outgoing > 0;
    }

    // What a post and a completion ask and tell.

    @Nullable TransportEndpoint transport() {
        return transport;
    }

    Credits credits() {
        return credits;
    }

    CounterSet counters() {
        return counters;
    }

    EndpointStatistics statistics() {
        return statistics;
    }

    /** What a post is answered while {@link #transport()} is null. */
    long refusal() {
        return refusal;
    }

    /** Operations whose completions have not run. On any thread. */
    int pending() {
        return (int) PENDING.getOpaque(this);
    }

    /** An operation for a post, or null if as many as allowed are in flight. */
    @Nullable CoreOperation take(CoreEndpoint endpoint, int kind, Completion completion, long userData) {
        Objects.requireNonNull(completion, "completion");
        CoreOperation operation = worker.pool().take();
        if (operation != null) {
            // First what may call something: what is stored behind it the compiler still knows at the end of the post.
            long startedNs = worker.statistics().sampleStart();
            operation.prepare(kind, endpoint, completion, userData, startedNs);
            began(operation);
            worker.beginPost(operation);
            if (stalled) {
                endStall();
            }
        }
        return operation;
    }

    void began(CoreOperation operation) {
        pending++;
        if (operation.kind != CoreOperation.RECEIVE) {
            outgoing++;
        }
    }

    /** The operation has ended, and its completion will run. */
    void finished(CoreOperation operation) {
        if (operation.kind != CoreOperation.RECEIVE) {
            outgoing--;
        }
    }

    /** The operation's completion has run. */
    void delivered() {
        pending--;
        if (pending == 0 && settled != null) {
            settled.run();
        }
    }

    /** What a post answers. The operation is not the post's any more if its completion has run. */
    long posted(boolean taken, CoreOperation operation, long id) {
        if (!taken) {
            return refuse(operation);
        }
        worker.endPost(operation);
        return id;
    }

    /** The operation was not taken after all. */
    void giveBack(CoreOperation operation) {
        worker.endPost(operation);
        finished(operation);
        pending--;
        operation.releaseKey();
        worker.pool().giveBack(operation);
    }

    /** The transport had no room, or has just failed. */
    long refuse(CoreOperation operation) {
        giveBack(operation);
        return transport == null ? refusal : backPressure();
    }

    /** Counts a post that nothing came of, and answers it. */
    long backPressure() {
        counters.add(Counter.BACK_PRESSURE_EVENTS, 1);
        if (!stalled) {
            stalled = true;
            stalledNs = worker.nowNs();
        }
        return Endpoint.BACK_PRESSURE;
    }

    /** A post is taken again, or none will be. */
    void endStall() {
        if (stalled) {
            stalled = false;
            counters.add(Counter.BACK_PRESSURE_NS, Math.max(0, worker.nowNs() - stalledNs));
        }
    }
}
