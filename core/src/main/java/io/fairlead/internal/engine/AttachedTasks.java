package io.fairlead.internal.engine;

import io.fairlead.WorkerTask;
import io.fairlead.internal.log.Callbacks;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks attached to a worker, in the order of attachment. */
final class AttachedTasks {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerTask.class);

    private static final Attachment[] NONE = {};

    /** One attachment of a task; a task that is attached again gets a new one. */
    private static final class Attachment {
        private final WorkerTask task;
        private boolean ended;

        private Attachment(WorkerTask task) {
            this.task = task;
        }
    }

    private final TurnWork work;
    /** Replaced with every change, so tasks may attach and detach tasks while they run. */
    private Attachment[] attached = NONE;
    /** The tasks attached when the progress began. */
    private Attachment[] due = NONE;

    /** Creates it without tasks; {@code work} is notified of attachments. */
    AttachedTasks(TurnWork work) {
        this.work = work;
    }

    boolean isEmpty() {
        return attached.length == 0;
    }

    void attach(WorkerTask task) {
        if (find(task) >= 0) {
            throw new IllegalArgumentException("task is attached already: task=" + task + "; detach it first");
        }
        Attachment[] more = Arrays.copyOf(attached, attached.length + 1);
        more[attached.length] = new Attachment(task);
        attached = more;
        work.following = true;
    }

    void detach(WorkerTask task) {
        int place = find(task);
        if (place >= 0) {
            attached[place].ended = true;
            attached = Arrays.stream(attached).filter(other -> !other.ended).toArray(Attachment[]::new);
        }
    }

    @SuppressWarnings("ReferenceEquality") // Two tasks of a layer may be equal, but each has its own work.
    private int find(WorkerTask task) {
        for (int i = 0; i < attached.length; i++) {
            if (attached[i].task == task) {
                return i;
            }
        }
        return -1;
    }

    /** A progress begins: tasks attached from now on run in the next one. */
    void beginProgress() {
        due = attached;
    }

    /** Runs each task once that was attached when the progress began and is still attached. */
    int run() {
        long events = 0;
        for (Attachment attachment : due) {
            if (!attachment.ended) {
                events += Math.max(run(attachment.task), 0);
            }
        }
        due = NONE;
        return (int) Math.min(events, Integer.MAX_VALUE);
    }

    private static int run(WorkerTask task) {
        try {
            return task.run();
        } catch (Throwable thrown) {
            logThrown(task, thrown);
            return 1;
        }
    }

    /** The maximum wait: until the first task is due, 0 if one is due now. */
    long maxWaitNs() {
        long limitNs = Long.MAX_VALUE;
        for (Attachment attachment : attached) {
            limitNs = Math.min(limitNs, maxWaitNs(attachment.task));
        }
        return Math.max(limitNs, 0);
    }

    private static long maxWaitNs(WorkerTask task) {
        try {
            return task.maxWaitNs();
        } catch (Throwable thrown) {
            logThrown(task, thrown);
            return 0;
        }
    }

    /** The worker begins to close: notifies each task. */
    void notifyClosing() {
        for (Attachment attachment : attached) {
            if (attachment.ended) {
                continue;
            }
            try {
                attachment.task.workerCloses();
            } catch (Throwable thrown) {
                logThrown(attachment.task, thrown);
            }
        }
    }

    /** The worker has closed: notifies each task, once. */
    void notifyClosed() {
        while (!isEmpty()) {
            WorkerTask first = attached[0].task;
            detach(first);
            try {
                first.workerClosed();
            } catch (Throwable thrown) {
                logThrown(first, thrown);
            }
        }
    }

    private static void logThrown(WorkerTask task, Throwable thrown) {
        Callbacks.logThrown(
                LOG,
                thrown,
                "a task of a worker threw; task={}",
                task.getClass().getName());
    }
}
