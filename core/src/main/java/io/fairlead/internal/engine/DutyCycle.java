package io.fairlead.internal.engine;

import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.net.SelectorLoop;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.InPostWorker;
import io.fairlead.spi.TransportWorker;
import io.fairlead.statistics.Counter;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one turn of a worker's progress does, and in which order: commands of other threads, the transports, connections now and then, handlers
 * and completions.
 */
final class DutyCycle {
    private static final Logger LOG = LoggerFactory.getLogger(DutyCycle.class);

    /** Between two looks at the clock, at most, while there is work in every turn and the turns are short. */
    private static final int TURNS_PER_LOOK = 8;
    /** Turns are long if those between two looks take longer than this together. Then each looks at the clock. */
    private static final long LONG_NS = 100_000;
    /** Within this of their last turn nothing is due for connections that have no work. */
    private static final long MOMENT_NS = 20_000;
    /** Between two looks in the first idle turns behind work: to read the clock takes as long as the rest of such a turn, and an answer may come meanwhile. */
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
    /** Somebody has ended the next wait. The selector's own memory of that is used up by the next poll of its channels. */
    private final AtomicBoolean woken = new AtomicBoolean();
    /** The transports with endpoints: the others need no progress. */
    private TransportWorker[] active = new TransportWorker[0];

    /** Between two looks at present. It grows while turns are short, so that a first long one is not followed by many more before the next look. */
    private int turnsPerLook = 1;

    private int turnsSinceLook;
    /** When connections had their last turn. */
    private long lookedNs = System.nanoTime();
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

    /** Has something done in the next turn, and ends the owner's wait; on any thread. */
    void enqueue(Runnable command) {
        commands.add(command);
        commandsWaiting = true;
        loop.selector().wakeup();
    }

    /** Ends the owner's wait, or the next one; on any thread. */
    void wakeup() {
        woken.set(true);
        loop.selector().wakeup();
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
            turnsSinceLook++;
            if (shortTurnsAllowed
                    && !completions.isEmpty()
                    && turnsSinceLook < turnsPerLook
                    && ++shortTurns < SHORT_TURNS_MAX) {
                // The completion of what has ended inside its post runs at once; the network has its turn in the next.
                statistics.add(Counter.PROGRESS_CALLS, 1);
                return completions.drain();
            }
            shortTurns = 0;
            int events = commandsWaiting ? runCommands() : 0;
            for (TransportWorker transport : active) {
                events += closing ? progressInClose(transport) : transport.progress();
            }
            boolean idle = events == 0 && completions.isEmpty() && signals.isEmpty();
            boolean looked = isIdleLookDue(idle) || connections.hasWork();
            if (looked) {
                events += look();
            }
            if (!signals.isEmpty()) {
                events += signals.drain();
            }
            if (!completions.isEmpty()) {
                events += completions.drain();
            }
            if (!looked && turnsSinceLook >= turnsPerLook) {
                // Behind the completions: what they have posted is on its way meanwhile.
                events += lookWhileBusy();
                if (!signals.isEmpty()) {
                    // A goodbye lets in what came before it, and its end is told below.
                    events += signals.drain();
                }
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

    private boolean isIdleLookDue(boolean idle) {
        if (!idle) {
            idleTurns = 0;
            return false;
        }
        // The owner of a worker that stays idle may pause between its turns.
        idleTurns = Math.min(idleTurns, FIRST_IDLE_TURNS) + 1;
        if (idleTurns > FIRST_IDLE_TURNS) {
            // How long the turns of the next work are is not known yet.
            turnsPerLook = 1;
            return true;
        }
        return idleTurns % IDLE_TURNS_PER_LOOK == 0;
    }

    /** Looks at the clock, and does for connections what is due by it. */
    private int look() {
        readClock();
        turnsSinceLook = 0;
        lookedNs = clock.nowNs();
        return connections.advance(lookedNs) + connections.deliverConnected();
    }

    /** Looks at the clock while there is work in every turn, and whether the turns are long. Connections without work of their own can wait a moment. */
    private int lookWhileBusy() {
        long beforeNs = clock.nowNs();
        clock.refresh();
        long nowNs = clock.nowNs();
        turnsPerLook = nowNs - beforeNs > LONG_NS ? 1 : Math.min(2 * turnsPerLook, TURNS_PER_LOOK);
        turnsSinceLook = 0;
        return nowNs - lookedNs < MOMENT_NS ? 0 : look();
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

    /** Tells the attached tasks that the worker begins to close. They may do what completions may, and no turn runs inside. */
    void tellTasksOfClose() {
        insideTurn(tasks::notifyClosing);
    }

    /** Calls what may do what completions may, outside of a turn. */
    void insideTurn(Runnable calls) {
        completions.beginTurn();
        try {
            calls.run();
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
            try {
                command.run();
            } catch (Throwable thrown) {
                // It is of one endpoint or region, and the commands behind it are of others.
                Callbacks.logThrown(LOG, thrown, "a command of a worker failed");
            }
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
        if (!woken.get()) {
            statistics.stalls().suspend();
            loop.await(limitNs);
        }
        // What the caller of a wake-up did before it is seen from here on.
        boolean _ = woken.getAndSet(false);
        readClock();
        // The worker may be busy from now on, and has not looked at its connections while it waited.
        turnsPerLook = 1;
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
