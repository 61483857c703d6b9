package io.fairlead.internal.engine;

import io.fairlead.Status;
import io.fairlead.internal.log.Callbacks;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The close of a worker and of its endpoints: its turns of progress, and the steps after them. */
final class WorkerShutdown {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerShutdown.class);

    /** An end that the transport completes at once takes two turns: one to close, one for the handler. */
    private static final int LEAST_TURNS = 64;

    private final CoreWorker worker;
    private final DutyCycle cycle;
    private final CompletionDelivery completions;
    /** A close was requested inside of progress. */
    private boolean requested;

    private boolean begun;
    /** A turn of the close has thrown. */
    private boolean turnFailed;

    WorkerShutdown(CoreWorker worker, DutyCycle cycle, CompletionDelivery completions) {
        this.worker = worker;
        this.cycle = cycle;
        this.completions = completions;
    }

    /** Whether the worker has begun to close, and accepts no new receives. */
    boolean isBegun() {
        return begun;
    }

    boolean isClosed() {
        return worker.thread().isClosed();
    }

    /** Closes the worker now or, inside of progress, right after it. */
    void close() {
        if (completions.isRunning()) {
            requested = true;
            worker.work().following = true;
            // The request may be made during the wait that has to end.
            worker.wakeup();
        } else {
            shutDown();
        }
    }

    /** Progress, or a completion, has returned: closes the worker if a close was requested meanwhile. */
    void closeIfRequested() {
        if (requested) {
            shutDown();
        }
    }

    /** Closes an endpoint gracefully, and makes progress until that is done, unless called inside progress. */
    void close(EndpointLifecycle endpoint) {
        startClose(endpoint);
        finish(endpoint);
    }

    /** Begins to close an endpoint gracefully; later progress finishes it. */
    void startClose(EndpointLifecycle endpoint) {
        worker.checkThread();
        endpoint.beginClose(System.nanoTime() + worker.settings().closeNs());
    }

    /** Ends an endpoint without a graceful disconnect. */
    void abort(EndpointLifecycle endpoint) {
        worker.checkThread();
        endpoint.abort();
        finish(endpoint);
    }

    private void finish(EndpointLifecycle endpoint) {
        if (completions.isRunning() || isClosed()) {
            return;
        }
        turnUntil(endpoint::isOver);
        if (!endpoint.isOver()) {
            endpoint.abort();
            turnUntil(endpoint::isOver);
        }
        closeIfRequested();
    }

    /**
     * Makes progress until a condition is true, for at most the time of a graceful close and its linger. It makes a
     * minimum number of turns, because a thread that was descheduled for longer had no chance.
     */
    private void turnUntil(BooleanSupplier over) {
        long deadlineNs = System.nanoTime() + 2 * worker.settings().closeNs();
        for (int turn = 0; !over.getAsBoolean() && (turn < LEAST_TURNS || System.nanoTime() - deadlineNs < 0); turn++) {
            if (runTurn() == 0) {
                Thread.yield();
            }
        }
    }

    /** Runs one turn. An exception must not keep the worker from its close. */
    private int runTurn() {
        try {
            return cycle.runTurn();
        } catch (Throwable thrown) {
            if (!begun) {
                throw thrown;
            }
            if (!turnFailed) {
                turnFailed = true;
                Callbacks.logThrown(LOG, thrown, "progress failed while its worker closes; the close goes on");
            }
            return 0;
        }
    }

    private void shutDown() {
        if (begun) {
            return;
        }
        begun = true;
        Connections connections = worker.connections();
        guarded("notifying the tasks", cycle::notifyTasksOfClose);
        cycle.beginClose();
        worker.receives().beginClose();
        // Whatever fails, the transports are closed before the context is, and every operation ends.
        guarded(
                "closing the endpoints",
                () -> connections.beginClose(
                        System.nanoTime() + worker.settings().closeNs()));
        guarded("waiting for the endpoints", () -> turnUntil(connections::isEmpty));
        guarded("aborting the endpoints", this::abortRest);
        guarded("cancelling the receives", worker.receives()::cancelAll);
        guarded("completing what has ended", this::finishTurns);
        end();
    }

    /**
     * The worker's thread has ended, and the calling thread owns the worker now. It makes no turns, because memory of
     * transports may be confined to the ended thread. Endpoints end without a graceful disconnect.
     */
    void closeAbandoned() {
        if (begun) {
            return;
        }
        begun = true;
        LOG.warn(
                "a worker's thread ended without closing the worker; its connections end without a graceful disconnect");
        cycle.beginClose();
        worker.receives().beginClose();
        guarded("aborting the endpoints", worker.connections()::abandon);
        guarded("notifying the tasks", cycle::notifyTasksOfClose);
        guarded("cancelling the receives", worker.receives()::cancelAll);
        end();
    }

    /** No turn follows. */
    private void end() {
        Connections connections = worker.connections();
        worker.thread().close();
        guarded("ending the connections", connections::endAll);
        guarded("dropping the messages", worker.receives().held()::discardAll);
        worker.transports().forEach(transport -> guarded("closing a transport", transport::close));
        guarded("completing what its transports left", () -> cycle.insideTurn(this::completeRest));
        guarded("freeing its active messages", worker.active()::close);
        guarded("releasing what the worker holds itself", worker::release);
        guarded("notifying the tasks of the end", worker.tasks()::notifyClosed);
    }

    private void abortRest() {
        Connections connections = worker.connections();
        if (!connections.isEmpty()) {
            connections.abort();
            turnUntil(connections::isEmpty);
        }
    }

    /** The last turns: completions, and peers that have not yet received everything. */
    private void finishTurns() {
        long deadlineNs = System.nanoTime() + 2 * worker.settings().closeNs();
        for (int turn = 0; isUnfinished() && (turn < LEAST_TURNS || System.nanoTime() - deadlineNs < 0); turn++) {
            if (runTurn() == 0 && completions.isEmpty()) {
                // Yields the processor to peers on this host, so that they can receive the rest; close.timeout bounds
                // this.
                cycle.pause();
            }
        }
    }

    private boolean isUnfinished() {
        return !completions.isEmpty() || worker.connections().hasLingering();
    }

    /**
     * Completes operations that a transport completes only at its own end, or never; the completions see a closed
     * worker.
     */
    private void completeRest() {
        worker.receives().cancelAll();
        for (CoreOperation operation : worker.pool().inFlight()) {
            operation.complete(Status.CANCELLED, 0);
        }
        // A closed worker accepts no posts, so no completion adds another.
        while (!completions.isEmpty()) {
            completions.drain();
        }
        worker.connections().deliverEnds();
    }

    private static void guarded(String what, Runnable step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a worker's close failed at {}; it goes on", what);
        }
    }
}
