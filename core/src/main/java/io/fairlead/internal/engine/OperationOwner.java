package io.fairlead.internal.engine;

import io.fairlead.Endpoint;
import io.fairlead.Status;
import io.fairlead.internal.events.EndpointSubject;
import io.fairlead.internal.matching.MessageSource;
import io.fairlead.internal.statistics.EndpointStatistics;
import io.fairlead.internal.statistics.WorkerStatistics;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint as its operations and their completions see it: the number in flight, the counters, and the status of
 * operations that the endpoint's end ends. On the worker's thread.
 */
abstract class OperationOwner implements Endpoint, MessageSource {
    /** Operations in flight are those whose completions have not run. */
    private final EndpointStatistics counters;

    private final Optional<Endpoint> self = Optional.of(this);
    /** The number of operations in flight that a graceful close waits for. */
    private int outgoing;
    /** Called when no operation is pending any more. */
    private @Nullable Runnable onSettled;

    private Status terminalStatus = Status.CANCELLED;

    /** Creates it without operations. */
    OperationOwner(WorkerStatistics worker) {
        this.counters = new EndpointStatistics(worker);
    }

    /** The endpoint for the log. */
    abstract EndpointSubject subject();

    /** The endpoint as a request's source, created once. */
    Optional<Endpoint> self() {
        return self;
    }

    @Override
    public EndpointStatistics counters() {
        return counters;
    }

    /** The status of operations that are in flight at the end. */
    Status terminalStatus() {
        return terminalStatus;
    }

    void setTerminalStatus(Status status) {
        terminalStatus = status;
    }

    /** Operations whose completions have not run. */
    long pending() {
        return counters.inFlight();
    }

    /** Whether an operation that a graceful close waits for has not ended. */
    boolean isBusy() {
        return outgoing > 0;
    }

    /** An operation other than a receive has begun. */
    void addOutgoing() {
        counters.beginOperation();
        outgoing++;
    }

    /** A receive has begun. */
    void add() {
        counters.beginOperation();
    }

    /** An operation has begun and ended inside its post, and its completion will run. */
    void addEnded(int kind, long length) {
        counters.beginOperation();
        counters.countOperation(kind, Status.OK, length);
    }

    /** An operation has ended, and its completion will run. */
    void end(int kind, Status status, long length) {
        // A receive may wait for the peer without limit, so a close does not wait for it.
        if (kind != CoreOperation.RECEIVE) {
            outgoing--;
        }
        counters.countOperation(kind, status, length);
    }

    /** An operation was not accepted. */
    void removeRefused(int kind) {
        if (kind != CoreOperation.RECEIVE) {
            outgoing--;
        }
        remove();
    }

    /** An operation's completion has run, or it was not accepted. */
    void remove() {
        if (counters.endOperation() && onSettled != null) {
            onSettled.run();
        }
    }

    /** The endpoint is torn down: runs {@code action}, now or later, when no operation is pending. */
    void onSettled(Runnable action) {
        onSettled = action;
        if (counters.inFlight() == 0) {
            action.run();
        }
    }
}
