package io.fairlead.node.internal;

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
 * What is handed to a loop: operations through a bounded queue, commands past it, and what the loop's own callbacks call past both, so that it
 * never waits for itself. Callers are of any thread where nothing else is said.
 */
final class LoopQueue {
    private static final Logger LOG = LoggerFactory.getLogger(LoopQueue.class);
    private static final int CAPACITY = 8192;
    private static final int DRAIN_MAX = 1024;
    /** The queue is emptied in every turn, so that a full one is a matter of microseconds unless a callback blocks. */
    private static final long FULL_PAUSE_NS = 20_000L;

    private final MpscAtomicArrayQueue<LoopTask> tasks = new MpscAtomicArrayQueue<>(CAPACITY);
    /** Connecting, closing, withdrawing: rare, and each bounded by what it is about, so that they never wait for room. */
    private final Queue<LoopTask> commands = new ConcurrentLinkedQueue<>();
    /** What callbacks on the loop's thread have called. */
    private final Deque<LoopTask> local = new ArrayDeque<>();

    private final MessagePassingQueue.Consumer<LoopTask> consumer;
    private final Object refusing = new Object();

    LoopQueue(Consumer<LoopTask> consumer) {
        this.consumer = consumer::accept;
    }

    /** Adds an operation, and waits for room if there is none now; false if there was none in time. */
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

    /** Hands out what is here, that of the loop's own callbacks first. The loop's thread only. */
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

    /** Whether there is nothing to hand out. The loop's thread only. */
    boolean isEmpty() {
        return tasks.isEmpty() && commands.isEmpty() && local.isEmpty();
    }

    boolean isLocalEmpty() {
        return local.isEmpty();
    }

    /** Refuses what other threads have added. Whoever adds something to a loop that has ended calls it too, at the same time perhaps. */
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
