package io.fairlead.internal.engine;

import io.fairlead.Endpoint;
import io.fairlead.Status;
import io.fairlead.internal.events.EndpointSubject;
import io.fairlead.internal.matching.MessageSource;
import io.fairlead.internal.statistics.CounterSet;
import io.fairlead.internal.statistics.EndpointStatistics;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.statistics.OperationKind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint's interface to its operations and their completions: the number in flight, the counters, and the status
 * of operations that the endpoint's end ends. On the worker's thread, except for {@link #pending()}.
 */
// The ordinal never leaves the process.
@SuppressWarnings("EnumOrdinal")
final class OperationOwner {
    private static final VarHandle PENDING;

    static {
        try {
            PENDING = MethodHandles.lookup().findVarHandle(OperationOwner.class, "pending", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A receive may wait for the peer without limit, so a close does not wait for it. */
    private static final int RECEIVE = OperationKind.RECEIVE.ordinal();

    private final MessageSource source;
    private final Optional<Endpoint> endpoint;
    private final EndpointSubject subject;
    private final EndpointStatistics statistics;
    private final CounterSet counters;
    /** Operations whose completions have not run. */
    private int pending;
    /** The number of those that a graceful close waits for. */
    private int outgoing;
    /** Called when no operation is pending any more. */
    private @Nullable Runnable onSettled;

    private Status terminalStatus = Status.CANCELLED;

    /**
     * Creates it without operations.
     *
     * @param source the endpoint for matching
     * @param endpoint the same endpoint for the application
     * @param subject the same endpoint for the log
     */
    OperationOwner(MessageSource source, Endpoint endpoint, EndpointSubject subject, WorkerStatistics worker) {
        this.source = source;
        this.endpoint = Optional.of(endpoint);
        this.subject = subject;
        this.statistics = new EndpointStatistics(worker, this::pending);
        this.counters = statistics.counters();
    }

    MessageSource source() {
        return source;
    }

    /** The endpoint as a request's source, created once. */
    Optional<Endpoint> endpoint() {
        return endpoint;
    }

    EndpointSubject subject() {
        return subject;
    }

    EndpointStatistics statistics() {
        return statistics;
    }

    CounterSet counters() {
        return counters;
    }

    /** The status of operations that are in flight at the end. */
    Status terminalStatus() {
        return terminalStatus;
    }

    void setTerminalStatus(Status status) {
        terminalStatus = status;
    }

    /** Operations whose completions have not run. On any thread. */
    int pending() {
        return (int) PENDING.getOpaque(this);
    }

    /** Whether an operation that a graceful close waits for has not ended. */
    boolean isBusy() {
        return outgoing > 0;
    }

    /** An operation of a kind has begun. */
    void add(int kind) {
        pending++;
        if (kind != RECEIVE) {
            outgoing++;
        }
    }

    /** An operation has begun and ended inside its post, and its completion will run. */
    void addEnded() {
        pending++;
    }

    /** An operation of a kind has ended, and its completion will run. */
    void end(int kind) {
        if (kind != RECEIVE) {
            outgoing--;
        }
    }

    /** An operation's completion has run, or it was not accepted. */
    void remove() {
        pending--;
        if (pending == 0 && onSettled != null) {
            onSettled.run();
        }
    }

    /** The endpoint is torn down: runs {@code action}, now or later, when no operation is pending. */
    void onSettled(Runnable action) {
        onSettled = action;
        if (pending == 0) {
            action.run();
        }
    }
}
