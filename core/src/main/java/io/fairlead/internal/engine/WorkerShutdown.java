package io.fairlead.internal.engine;

import io.fairlead.Status;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ends of a worker and of its endpoints: the turns of progress that a close makes, and what it does when they are over. */
final class WorkerShutdown {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerShutdown.class);

    /** What an end that the transport completes at once takes is two: one to close it, one to tell. */
    private static final int LEAST_TURNS = 64;

    private final CoreWorker worker;
    private final DutyCycle cycle;
    private final CompletionDelivery completions;
    /** Somebody asked for the close inside of progress. */
    private boolean requested;

    private boolean begun;
    private boolean closed;

    WorkerShutdown(CoreWorker worker, DutyCycle cycle, CompletionDelivery completions) {
        this.worker = worker;
        this.cycle = cycle;
        this.completions = completions;
    }

    /** Whether the worker has begun to close, and takes no new receives. */
    boolean isBegun() {
        return begun;
    }

    boolean isClosed() {
        return closed;
    }

    /** Closes the worker now or, inside of progress, right behind it. */
    void close() {
        if (completions.isRunning()) {
            requested = true;
            // It may be the wait that was asked to end.
            worker.wakeup();
        } else {
            shutDown();
        }
    }

    /** Progress, or a completion, has returned: closes the worker if that was asked for meanwhile. */
    void closeIfRequested() {
        if (requested) {
            shutDown();
        }
    }

    /** Closes an endpoint gracefully, and makes progress until it is over, unless progress is what called. */
    void close(EndpointLifecycle endpoint) {
        startClose(endpoint);
        finish(endpoint);
    }

    /** Begins to close an endpoint gracefully; progress does the rest. */
    void startClose(EndpointLifecycle endpoint) {
        worker.checkThread();
        endpoint.beginClose(System.nanoTime() + worker.settings().closeNs());
    }

    /** Ends an endpoint without a goodbye. */
    void abort(EndpointLifecycle endpoint) {
        worker.checkThread();
        endpoint.abort();
        finish(endpoint);
    }

    private void finish(EndpointLifecycle endpoint) {
        if (completions.isRunning() || closed) {
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
     * Makes progress until something is over, for at most the time of a goodbye and what follows it; but some turns in any case, because a thread
     * that was kept from the processor for longer than that has not had its chance.
     */
    private void turnUntil(BooleanSupplier over) {
        long deadlineNs = System.nanoTime() + 2 * worker.settings().closeNs();
        for (int turn = 0; !over.getAsBoolean() && (turn < LEAST_TURNS || System.nanoTime() - deadlineNs < 0); turn++) {
            if (cycle.runTurn() == 0) {
                Thread.yield();
            }
        }
    }

    private void shutDown() {
        if (begun) {
            return;
        }
        begun = true;
        guarded("telling the tasks that it begins", worker.tasks()::notifyClosing);
        cycle.beginClose();
        worker.receives().beginClose();
        // Whatever fails on the way, the transports are closed before the context is, and every operation ends.
        guarded("ending the endpoints", this::endAll);
        closed = true;
        guarded("dropping the messages", worker.receives().held()::discardAll);
        worker.transports().forEach(transport -> guarded("closing a transport", transport::close));
        guarded("completing what its transports left", this::completeRest);
        guarded("letting go of what the worker holds itself", worker::release);
        guarded("telling the tasks", worker.tasks()::notifyClosed);
    }

    private void endAll() {
        Connections connections = worker.connections();
        connections.beginClose(System.nanoTime() + worker.settings().closeNs());
        turnUntil(connections::isEmpty);
        if (!connections.isEmpty()) {
            connections.abort();
            turnUntil(connections::isEmpty);
        }
        worker.receives().cancelAll();
        while (!completions.isEmpty() || connections.hasLingering()) {
            if (cycle.runTurn() == 0 && completions.isEmpty()) {
                // Peers have to be given the processor to take what is left for them; close.timeout bounds this.
                cycle.pause();
            }
        }
    }

    /** What a transport could complete only by its own end, or never would; the completions find a closed worker. */
    private void completeRest() {
        worker.receives().cancelAll();
        for (CoreOperation operation : worker.pool().inFlight()) {
            operation.complete(Status.CANCELLED, 0);
        }
        while (!completions.isEmpty()) {
            completions.drain();
        }
        worker.connections().deliverEnds();
    }

    private static void guarded(String what, Runnable step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            LOG.error("a worker's close failed at {}; it goes on", what, thrown);
        }
    }
}
