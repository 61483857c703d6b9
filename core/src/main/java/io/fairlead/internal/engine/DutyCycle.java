package io.fairlead.internal.engine;

import io.fairlead.internal.net.SelectorLoop;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.InPostWorker;
import io.fairlead.spi.TransportWorker;
import io.fairlead.statistics.Counter;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one turn of a worker's progress does, and in which order: commands of other threads, the transports, connections now and then, handlers
 * and completions.
 */
final class DutyCycle {
    private static final Logger LOG = LoggerFactory.getLogger(DutyCycle.class);

    /** Between two looks at the clock while there is work in every turn. */
    private static final int TURNS_PER_LOOK = 32;
    /** The same in the first idle turns behind work: to read the clock takes as long as the rest of such a turn, and an answer may come meanwhile. */
    private static final int IDLE_TURNS_PER_LOOK = 4;

    private static final int FIRST_IDLE_TURNS = 16;
    /** Of so many turns one goes to the network, however many operations end inside their posts. */
    private static final int SHORT_TURNS_MAX = 8;
    /** Below this a selector cannot wait, and rounding up would be longer than the caller allowed. */
    private static final long SHORTEST_WAIT_NS = 1_000_000;

    /** What a turn has to do for connections. */
    interface ConnectionWork {
        /** Whether there is anything to do besides looking at the clock now and then. */
        boolean hasWork();

        /** What is to be done before completions run; how many events there were. */
        int advance(long nowNs);

        /** Tells handlers of new endpoints. */
        int deliverConnected();

        /** Tells handlers of endpoints that have ended. */
        int deliverEnds();

        /** How long the worker may wait without neglecting anything; 0 if there is something to do. */
        long longestWaitNs();
    }

    private final WorkerStatistics statistics;
    private final CoarseClock clock;
    private final SelectorLoop loop;
    private final ConnectionWork connections;
    private final CompletionDelivery completions;
    private final SignalQueue signals;
    private final AttachedTasks tasks;
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    /** Something is in {@link #commands}; a plain look is cheaper than asking the queue in every turn. */
    private volatile boolean commandsWaiting;
    /** The transports with endpoints: the others need no progress. */
    private TransportWorker[] active = new TransportWorker[0];

    /** The first turn reads the clock, whatever it finds: from then on it is known when the worker was last seen. */
    private int turns = TURNS_PER_LOOK - 1;
    /** Since there was work; no further than one beyond the first ones. */
    private int idleTurns = FIRST_IDLE_TURNS;

    private int shortTurns;
    /** No transport in use waits for progress to send what was posted. */
    private boolean shortTurnsAllowed;
    /** The worker closes: a transport that throws must not keep it from that. */
    private boolean closing;
    /** A transport has thrown since the close began. */
    private boolean progressFailed;

    DutyCycle(
            WorkerStatistics statistics,
            CoarseClock clock,
            SelectorLoop loop,
            ConnectionWork connections,
            CompletionDelivery completions,
            SignalQueue signals,
            AttachedTasks tasks) {
        this.statistics = statistics;
        this.clock = clock;
        this.loop = loop;
        this.connections = connections;
        this.completions = completions;
        this.signals = signals;
        this.tasks = tasks;
    }

    /** A transport has its first endpoint and needs progress from now on. */
    void activate(TransportWorker transport) {
        if (!Arrays.asList(active).contains(transport)) {
            active = Arrays.copyOf(active, active.length + 1);
            active[active.length - 1] = transport;
            shortTurnsAllowed = Arrays.stream(active).allMatch(InPostWorker.class::isInstance);
        }
    }

    /** Has something done in the next turn; on any thread. */
    void enqueue(Runnable command) {
        commands.add(command);
        commandsWaiting = true;
    }

    /** From now on what a transport throws is logged. */
    void beginClose() {
        closing = true;
    }

    /** One turn; how many events there were. */
    int runTurn() {
        tasks.beginProgress();
        completions.beginTurn();
        try {
            if (shortTurnsAllowed && !completions.isEmpty() && ++shortTurns < SHORT_TURNS_MAX) {
                // What has ended inside its post is told at once; the network has its turn in the next.
                statistics.add(Counter.PROGRESS_CALLS, 1);
                return completions.drain();
            }
            shortTurns = 0;
            int events = commandsWaiting ? runCommands() : 0;
            for (TransportWorker transport : active) {
                events += closing ? progressInClose(transport) : transport.progress();
            }
            turns++;
            boolean idle = events == 0 && completions.isEmpty() && signals.isEmpty();
            if (isLookDue(idle) || connections.hasWork()) {
                readClock();
                events += connections.advance(clock.nowNs());
                events += connections.deliverConnected();
            }
            if (!signals.isEmpty()) {
                events += signals.drain();
            }
            if (!completions.isEmpty()) {
                events += completions.drain();
            }
            if (connections.hasWork()) {
                events += connections.deliverEnds();
            }
            statistics.add(Counter.PROGRESS_CALLS, 1);
            if (events == 0) {
                statistics.add(Counter.PROGRESS_IDLE, 1);
            }
            return events;
        } finally {
            completions.endTurn();
        }
    }

    private boolean isLookDue(boolean idle) {
        if (!idle) {
            idleTurns = 0;
            return turns % TURNS_PER_LOOK == 0;
        }
        // The owner of a worker that stays idle may pause between its turns.
        idleTurns = Math.min(idleTurns, FIRST_IDLE_TURNS) + 1;
        return idleTurns > FIRST_IDLE_TURNS || idleTurns % IDLE_TURNS_PER_LOOK == 0;
    }

    /** Runs the attached tasks, which may do what completions may. */
    int runTasks() {
        if (tasks.isEmpty()) {
            return 0;
        }
        completions.beginTurn();
        try {
            return tasks.run();
        } finally {
            completions.endTurn();
        }
    }

    private void readClock() {
        clock.refresh();
        statistics.stalls().recordProgress(clock.nowNs());
    }

    private int progressInClose(TransportWorker transport) {
        try {
            return transport.progress();
        } catch (Throwable thrown) {
            if (!progressFailed) {
                progressFailed = true;
                LOG.error("progress of a transport failed while its worker closes", thrown);
            }
            return 0;
        }
    }

    private int runCommands() {
        // Before the queue is read: what is added meanwhile sets it again.
        commandsWaiting = false;
        int count = 0;
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            command.run();
            count++;
        }
        return count;
    }

    /** Waits until there may be something to do, but no longer than asked; at once if there is something already. */
    void await(long timeoutNs) {
        if (timeoutNs < SHORTEST_WAIT_NS) {
            return;
        }
        // The tasks first, which may post something.
        long limitNs = Math.min(timeoutNs, tasksMaxWaitNs());
        limitNs = Math.min(limitNs, connections.longestWaitNs());
        if (limitNs < SHORTEST_WAIT_NS || !completions.isEmpty() || !signals.isEmpty() || commandsWaiting) {
            return;
        }
        for (TransportWorker transport : active) {
            if (!transport.arm()) {
                return;
            }
        }
        statistics.stalls().suspend();
        loop.await(limitNs);
        readClock();
        idleTurns = FIRST_IDLE_TURNS;
    }

    private long tasksMaxWaitNs() {
        if (tasks.isEmpty()) {
            return Long.MAX_VALUE;
        }
        completions.beginTurn();
        try {
            return tasks.maxWaitNs();
        } finally {
            completions.endTurn();
        }
    }

    /** Gives peers the processor for a moment. */
    void pause() {
        loop.await(SHORTEST_WAIT_NS);
    }
}
