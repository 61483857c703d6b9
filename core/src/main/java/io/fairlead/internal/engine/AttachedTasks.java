package io.fairlead.internal.engine;

import io.fairlead.WorkerTask;
import io.fairlead.internal.log.Callbacks;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks that are attached to a worker, in the order of attachment. */
final class AttachedTasks {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerTask.class);

    /** Replaced with every change, so that a task may attach and detach tasks while they run. */
    private WorkerTask[] tasks = new WorkerTask[0];

    boolean isEmpty() {
        return tasks.length == 0;
    }

    void attach(WorkerTask task) {
        if (isAttached(task)) {
            throw new IllegalArgumentException("task is attached already: task=" + task + "; detach it first");
        }
        WorkerTask[] more = Arrays.copyOf(tasks, tasks.length + 1);
        more[tasks.length] = task;
        tasks = more;
    }

    void detach(WorkerTask task) {
        tasks = Arrays.stream(tasks).filter(other -> !isSame(other, task)).toArray(WorkerTask[]::new);
    }

    private boolean isAttached(WorkerTask task) {
        for (WorkerTask other : tasks) {
            if (isSame(other, task)) {
                return true;
            }
        }
        return false;
    }

    @SuppressWarnings("ReferenceEquality") // Two tasks of a layer may be equal, and each has work of its own.
    private static boolean isSame(WorkerTask one, WorkerTask other) {
        return one == other;
    }

    /** Runs each task once. One that is attached meanwhile waits for the next call, one that is detached is left out. */
    @SuppressWarnings("ReferenceEquality") // The array is replaced with every change.
    int run() {
        WorkerTask[] attached = tasks;
        int events = 0;
        for (WorkerTask task : attached) {
            if (tasks == attached || isAttached(task)) {
                events += run(task);
            }
        }
        return events;
    }

    private static int run(WorkerTask task) {
        try {
            return task.run();
        } catch (Throwable thrown) {
            threw(task, thrown);
            return 1;
        }
    }

    /** How long a wait may be: until the first task is due, 0 if one is. */
    long maxWaitNs() {
        long limitNs = Long.MAX_VALUE;
        for (WorkerTask task : tasks) {
            limitNs = Math.min(limitNs, maxWaitNs(task));
        }
        return Math.max(limitNs, 0);
    }

    private static long maxWaitNs(WorkerTask task) {
        try {
            return task.maxWaitNs();
        } catch (Throwable thrown) {
            threw(task, thrown);
            return 0;
        }
    }

    /** The worker has closed: tells each task, once. */
    void workerClosed() {
        while (tasks.length > 0) {
            WorkerTask first = tasks[0];
            detach(first);
            try {
                first.workerClosed();
            } catch (Throwable thrown) {
                threw(first, thrown);
            }
        }
    }

    private static void threw(WorkerTask task, Throwable thrown) {
        Callbacks.threw(
                LOG,
                thrown,
                "a task of a worker threw; task={}",
                task.getClass().getName());
    }
}
