package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Status;
import io.fairlead.internal.events.FlightRecording;
import io.fairlead.internal.events.LongOperationEvent;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.internal.matching.UnexpectedQueue;
import io.fairlead.internal.statistics.WorkerStatistics;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the completions of one worker. Queued completions run in its turns of progress. An immediate completion runs at
 * the end of the post that its operation ended in. Counts each operation as it ends.
 */
final class CompletionDelivery implements CoreOperation.Ending {
    /** Applications configure the logger by this name, so it is one of the API. */
    private static final Logger LOG = LoggerFactory.getLogger(Completion.class);

    private static final int NOTHING = -1;

    private final OperationPool pool;
    private final CompletionQueue queue;
    private final WorkerStatistics statistics;
    private final UnexpectedQueue unexpected;
    private final TurnWork work;
    private final Runnable afterImmediate;
    private final String node;

    /** A turn of progress, a completion or a handler is running. */
    private boolean running;
    /** A match handler is running: the state of matching must not change. */
    private boolean asking;
    /** The index of the operation that is being posted, if its completion may run at the end of the post. */
    private int posting = NOTHING;

    /**
     * Creates it with a pool of operations, which it returns to the pool as they end.
     *
     * @param operationsMax maximum number of operations in flight
     * @param unexpected recycles the messages of ended receives
     * @param work notified of queued completions
     * @param afterImmediate runs after each immediate completion
     */
    CompletionDelivery(
            int operationsMax,
            WorkerStatistics statistics,
            UnexpectedQueue unexpected,
            TurnWork work,
            Runnable afterImmediate,
            String node) {
        this.pool = new OperationPool(this, operationsMax);
        this.queue = new CompletionQueue(pool);
        this.statistics = statistics;
        this.unexpected = unexpected;
        this.work = work;
        this.afterImmediate = afterImmediate;
        this.node = node;
    }

    OperationPool pool() {
        return pool;
    }

    boolean isRunning() {
        return running;
    }

    boolean isEmpty() {
        return queue.size == 0;
    }

    /** A turn of progress begins, not inside another one. */
    void beginProgress() {
        if (running) {
            throw new IllegalStateException(
                    "progress called from inside a completion, handler or task of the same worker");
        }
        running = true;
        // A post that threw may have left it set.
        posting = NOTHING;
    }

    /** Calls of the application begin outside of a turn. */
    void beginTurn() {
        running = true;
        // A post that threw may have left it set.
        posting = NOTHING;
    }

    void endTurn() {
        running = false;
    }

    // A post may call a match handler outside of any turn.

    @Override
    public boolean beginAsking() {
        boolean wasRunning = running;
        running = true;
        asking = true;
        return wasRunning;
    }

    @Override
    public void endAsking(boolean wasRunning) {
        running = wasRunning;
        asking = false;
    }

    /** Refuses a call that would change the state of matching. */
    void checkNotAsking(String call) {
        if (asking) {
            throw new IllegalStateException(
                    call + " called from inside a match handler of the same worker; call it in the completion");
        }
    }

    @Override
    public void complete(CoreOperation operation, Status status) {
        if (operation.matchHandler != null) {
            pool.endWaiting(operation);
        }
        if (operation.holdsKey) {
            operation.releaseKey();
        }
        CoreArrival arrival = operation.arrival;
        if (arrival != null) {
            operation.arrival = null;
            unexpected.release(arrival);
        }
        OperationOwner owner = operation.owner();
        if (owner == null) {
            statistics.countOperation(operation.kind, status);
        } else {
            owner.end(operation.kind, status, operation.length());
        }
        if (operation.index != posting) {
            queue.add(operation);
            work.calls++;
        }
        if (status == Status.OK && operation.startedNs != WorkerStatistics.UNTIMED) {
            recordLatency(operation, owner);
        }
    }

    private void recordLatency(CoreOperation operation, @Nullable OperationOwner owner) {
        int transport = owner == null ? 0 : owner.counters().transport();
        long durationNs = statistics.recordLatency(transport, operation.kind, operation.startedNs);
        if (FlightRecording.hasBegun() && LongOperationEvent.isRecorded() && operation.kind != CoreOperation.RECEIVE) {
            LongOperationEvent.consider(
                    operation.operationKind(),
                    node,
                    owner == null ? null : owner.subject(),
                    operation.length(),
                    durationNs);
        }
    }

    /** A post begins; anything that may throw comes after this. */
    void beginPost(CoreOperation operation) {
        posting = operation.isImmediate && !running ? operation.index : NOTHING;
    }

    /** A post is about to return: if its operation has ended, an immediate completion runs now. */
    void endPost(CoreOperation operation) {
        if (posting == NOTHING) {
            return;
        }
        posting = NOTHING;
        if (operation.state != CoreOperation.COMPLETED) {
            return;
        }
        running = true;
        try {
            deliver(operation);
        } finally {
            running = false;
        }
        afterImmediate.run();
    }

    /**
     * Counts an operation that was done inside its post, and runs its completion if that is immediate. Otherwise it is
     * queued. The pool has an operation.
     *
     * @return its id
     */
    long completeInPost(
            int kind,
            OperationOwner owner,
            long tag,
            long length,
            Completion completion,
            long userData,
            long startedNs) {
        boolean now = !running && completion instanceof Completion.Immediate;
        CoreOperation operation = now ? pool.beginPassing() : pool.next();
        owner.addEnded(kind, length);
        operation.prepare(kind, owner, completion, userData, startedNs, null, 0, length);
        operation.endAtOnce(tag, length);
        if (startedNs != WorkerStatistics.UNTIMED) {
            recordLatency(operation, owner);
        }
        long id = operation.id;
        if (!now) {
            queue.add(operation);
            work.calls++;
            return id;
        }
        running = true;
        try {
            run(operation);
        } finally {
            running = false;
            pool.endPassing();
            owner.remove();
        }
        afterImmediate.run();
        return id;
    }

    /**
     * Runs the completions that are queued now. Completions that they cause wait for the next call, so none starves the
     * network.
     */
    int drain() {
        int count = queue.size;
        work.calls -= count;
        for (int i = 0; i < count; i++) {
            deliver(queue.remove());
        }
        return count;
    }

    private void deliver(CoreOperation operation) {
        run(operation);
        OperationOwner owner = operation.owner();
        pool.giveBack(operation);
        if (owner != null) {
            owner.remove();
        }
    }

    private static void run(CoreOperation operation) {
        try {
            Objects.requireNonNull(operation.completion, "completion").completed(operation);
        } catch (Throwable thrown) {
            Callbacks.logThrown(
                    LOG, thrown, "a completion threw; request={}, status={}", operation.id(), operation.status());
        }
    }
}
