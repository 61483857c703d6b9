package io.fairlead.node.internal.loop;

import io.fairlead.FairleadException;
import io.fairlead.internal.log.Callbacks;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.atomic.MpscAtomicArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is submitted to a loop. Operations go through a bounded queue, and commands past it. What the loop's own callbacks call goes past both,
 * so the loop never waits for itself. For any thread unless stated otherwise.
 */
final class LoopQueue {
    private static final Logger LOG = LoggerFactory.getLogger(LoopQueue.class);
    private static final int CAPACITY = 8192;
    private static final int DRAIN_MAX = 1024;
    /** Every turn empties the queue, so it stays full for microseconds only unless a callback blocks. */
    private static final long FULL_PAUSE_NS = 20_000L;

    private final MpscAtomicArrayQueue<LoopTask> tasks = new MpscAtomicArrayQueue<>(CAPACITY);
    /** Connecting, closing, withdrawing. They are rare and bounded by their subjects, so they never wait for capacity. */
    private final Queue<LoopTask> commands = new ConcurrentLinkedQueue<>();
    /** What callbacks on the loop's thread have called. */
    private final Deque<LoopTask> local = new ArrayDeque<>();

    private final MessagePassingQueue.Consumer<LoopTask> consumer;
    private final Object refusing = new Object();

    LoopQueue(Consumer<LoopTask> consumer) {
        this.consumer = consumer::accept;
    }

    /** Adds an operation, and waits if the queue is full. Returns false if it stayed full. */
    boolean tryAdd(LoopTask task, long waitNs) {
        return tasks.offer(task) || tryAddLater(task, waitNs);
    }

    private boolean tryAddLater(LoopTask task, long waitNs) {
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < waitNs && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(FULL_PAUSE_NS);
            if (tasks.offer(task)) {
                return true;
            }
        }
        return false;
    }

    /** Adds a command, behind the commands and not the operations of the same caller. */
    void addCommand(LoopTask command) {
        commands.add(command);
    }

    /** Adds what the loop's thread itself has called; that thread only. */
    void addLocal(LoopTask task) {
        local.add(task);
    }

    /** Runs what is here, tasks of the loop's own callbacks first. The loop's thread only. */
    int drain() {
        int events = 0;
        for (int count = local.size(); events < count; events++) {
            consumer.accept(local.remove());
        }
        for (LoopTask task = commands.poll(); task != null; task = commands.poll()) {
            consumer.accept(task);
            events++;
        }
        return events + tasks.drain(consumer, DRAIN_MAX);
    }

    /** Whether nothing waits here. The loop's thread only. */
    boolean isEmpty() {
        return tasks.isEmpty() && commands.isEmpty() && local.isEmpty();
    }

    boolean isLocalEmpty() {
        return local.isEmpty();
    }

    /** Refuses what other threads have added. A thread that adds something to an ended loop calls it too, possibly at the same time. */
    void refuseRest(FairleadException cause) {
        synchronized (refusing) {
            for (LoopTask task = tasks.poll(); task != null; task = tasks.poll()) {
                refuse(task, cause);
            }
            for (LoopTask task = commands.poll(); task != null; task = commands.poll()) {
                refuse(task, cause);
            }
        }
    }

    /** Refuses what the loop's own callbacks have called. The loop's thread only. */
    void refuseLocal(FairleadException cause) {
        for (LoopTask task = local.poll(); task != null; task = local.poll()) {
            refuse(task, cause);
        }
    }

    private static void refuse(LoopTask task, FairleadException cause) {
        try {
            task.refuse(cause);
        } catch (Throwable failure) {
            Callbacks.logThrown(LOG, failure, "refusing a task of a node failed");
        }
    }
}
