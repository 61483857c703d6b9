package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Status;
import io.fairlead.internal.events.LongOperationEvent;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.statistics.WorkerStatistics;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the completions of one worker: those of the queue in its turns of progress, and an immediate one at the end of the post that its operation
 * ended in. Counts each operation as it ends.
 */
final class CompletionDelivery {
    /** The name is an application's handle on these lines, so it is one of the API. */
    private static final Logger LOG = LoggerFactory.getLogger(Completion.class);

    private static final int NOTHING = -1;

    private final OperationPool pool;
    private final CompletionQueue queue;
    private final WorkerStatistics statistics;
    private final Receives receives;
    private final String node;

    /** A turn of progress, a completion or a handler is running. */
    private boolean running;
    /** The place of the operation that is being posted, if its completion may run at the end of the post. */
    private int posting = NOTHING;

    CompletionDelivery(OperationPool pool, WorkerStatistics statistics, Receives receives, String node) {
        this.pool = pool;
        this.queue = new CompletionQueue(pool);
        this.statistics = statistics;
        this.receives = receives;
        this.node = node;
    }

    boolean isRunning() {
        return running;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** A turn of progress begins. */
    void beginTurn() {
        running = true;
        // A post that threw may have left it.
        posting = NOTHING;
    }

    void endTurn() {
        running = false;
    }

    /** An operation has ended; its completion runs in this turn or the next. */
    void completed(CoreOperation operation, Status status) {
        operation.ended(status);
        receives.ended(operation);
        operation.releaseKey();
        CoreEndpoint on = operation.owner();
        if (on == null) {
            statistics.countOperation(operation.kind, status);
        } else {
            PostingState posts = on.posts();
            posts.finished(operation);
            posts.counters().countOperation(operation.kind, status, operation.length());
        }
        if (operation.index != posting) {
            queue.add(operation);
        }
        if (status == Status.OK && operation.startedNs != WorkerStatistics.UNTIMED) {
            recordLatency(operation, on);
        }
    }

    private void recordLatency(CoreOperation operation, @Nullable CoreEndpoint on) {
        int transport = on == null ? 0 : on.posts().statistics().transport();
        long durationNs = statistics.recordLatency(transport, operation.kind, operation.startedNs);
        if (LongOperationEvent.isRecorded() && operation.kind != CoreOperation.RECEIVE) {
            LongOperationEvent.consider(
                    operation.operationKind(), node, on == null ? null : on.peer(), operation.length(), durationNs);
        }
    }

    /** A post begins; what may throw is behind it. */
    void beginPost(CoreOperation operation) {
        posting = operation.immediate && !running ? operation.index : NOTHING;
    }

    /** A post is about to return: if its operation has ended, an immediate completion runs now. True if one ran. */
    boolean endPost(CoreOperation operation) {
        if (posting == NOTHING) {
            return false;
        }
        posting = NOTHING;
        if (operation.state != CoreOperation.COMPLETED) {
            return false;
        }
        running = true;
        try {
            deliver(operation);
        } finally {
            running = false;
        }
        return true;
    }

    /** Runs the completions that are queued now; those that they cause wait for the next call, so that none starves the network. */
    int drain() {
        int count = queue.size();
        for (int i = 0; i < count; i++) {
            deliver(queue.remove());
        }
        return count;
    }

    private void deliver(CoreOperation operation) {
        try {
            Objects.requireNonNull(operation.completion, "completion").completed(operation);
        } catch (Throwable thrown) {
            Callbacks.threw(
                    LOG, thrown, "a completion threw; request={}, status={}", operation.id(), operation.status());
        }
        CoreEndpoint on = operation.owner();
        pool.giveBack(operation);
        if (on != null) {
            on.posts().delivered();
        }
    }
}
