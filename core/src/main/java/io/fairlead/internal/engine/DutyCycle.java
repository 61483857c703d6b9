package io.fairlead.internal.engine;

import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.net.SelectorLoop;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.InPostWorker;
import io.fairlead.spi.TransportWorker;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One turn of a worker's progress: commands of other threads, the transports, connections periodically, handlers and
 * completions, in this order.
 */
final class DutyCycle {
    private static final Logger LOG = LoggerFactory.getLogger(DutyCycle.class);

    /** Maximum number of short busy turns between two readings of the clock. */
    private static final int TURNS_PER_LOOK = 8;
    /**
     * If the turns between two readings take longer than this together, they are long. Then each turn reads the clock.
     */
    private static final long LONG_NS = 100_000;
    /** Connections without work are not due again within this time. */
    private static final long MOMENT_NS = 20_000;
    /**
     * Turns between two readings in the first idle turns after work. Reading the clock takes as long as the rest of
     * such a turn, and an answer may arrive meanwhile.
     */
    private static final int IDLE_TURNS_PER_LOOK = 4;

    private static final int FIRST_IDLE_TURNS = 16;
    /** One of this many turns polls the network, however many operations end inside their posts. */
    private static final int SHORT_TURNS_MAX = 8;
    /** The minimum timeout of a selector; rounding up would exceed the caller's limit. */
    private static final long SHORTEST_WAIT_NS = 1_000_000;

    /** The connections' part of a turn. */
    interface ConnectionWork {
        /** Does the work that precedes completions; returns the number of events. */
        int advance(long nowNs);

        /** Notifies handlers of connected endpoints. */
        int deliverConnected();

        /** Notifies handlers of ended endpoints. */
        int deliverEnds();

        /** Whether the periodic work is due. */
        boolean isDue(long nowNs);

        /** How long the worker may wait before connections need it; 0 if there is work now. */
        long longestWaitNs();
    }

    /** The active messages' part of a turn. */
    interface MessageWork {
        /** Calls the handlers of the messages that have arrived; returns the number of messages. */
        int drain();
    }

    private final WorkerStatistics statistics;
    private final CoarseClock clock;
    private final SelectorLoop loop;
    private final ConnectionWork connections;
    private final CompletionDelivery completions;
    private final SignalQueue signals;
    private final MessageWork messages;
    private final AttachedTasks tasks;
    private final TurnWork work;
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    /** {@link #commands} is not empty; reading this is cheaper than polling the queue in every turn. */
    private volatile boolean commandsWaiting;
    /** A thread has ended the next wait. The selector's own flag is cleared by the next poll of its channels. */
    private final AtomicBoolean woken = new AtomicBoolean();
    /** The transports with endpoints; the others need no progress. */
    private TransportWorker[] active = new TransportWorker[0];

    /**
     * The current number of turns between two readings. It grows while turns are short, so few long turns precede the
     * next reading.
     */
    private int turnsPerLook = 1;

    private int turnsSinceLook;
    /** The time of the connections' last turn. */
    private long lookedNs = System.nanoTime();
    /** Idle turns since the last work; at most one beyond the first ones. */
    private int idleTurns = FIRST_IDLE_TURNS;

    private int shortTurns;
    /** No transport in use needs progress to send posted operations. */
    private boolean shortTurnsAllowed;
    /** The worker closes: exceptions of a transport must not prevent it. */
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
            MessageWork messages,
            AttachedTasks tasks,
            TurnWork work) {
        this.statistics = statistics;
        this.clock = clock;
        this.loop = loop;
        this.connections = connections;
        this.completions = completions;
        this.signals = signals;
        this.messages = messages;
        this.tasks = tasks;
        this.work = work;
    }

    /** A transport has its first endpoint and needs progress from now on. */
    void activate(TransportWorker transport) {
        if (!Arrays.asList(active).contains(transport)) {
            active = Arrays.copyOf(active, active.length + 1);
            active[active.length - 1] = transport;
            shortTurnsAllowed = Arrays.stream(active).allMatch(InPostWorker.class::isInstance);
        }
    }

    /** Runs a command in the next turn, and ends the owner's wait; on any thread. */
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

    /** From now on exceptions of transports are logged. */
    void beginClose() {
        closing = true;
    }

    /** Runs one turn; returns the number of events. */
    int runTurn() {
        completions.beginProgress();
        try {
            if (work.following) {
                tasks.beginProgress();
            }
            turnsSinceLook++;
            int events;
            if (work.calls > 0 && isShort()) {
                events = completions.drain();
            } else {
                shortTurns = 0;
                events = commandsWaiting ? runCommands() : 0;
                for (TransportWorker transport : active) {
                    events += closing ? progressInClose(transport) : transport.progress();
                }
                boolean idle = events == 0 && work.calls == 0;
                if (!idle || isIdleLookDue() || work.connections) {
                    events += finishTurn(idle);
                }
            }
            statistics.countTurn(events);
            return events;
        } finally {
            completions.endTurn();
        }
    }

    /**
     * Whether the turn only runs the completions of operations that ended inside their posts; the next one polls the
     * network.
     */
    private boolean isShort() {
        return shortTurnsAllowed
                && !completions.isEmpty()
                && turnsSinceLook < turnsPerLook
                && ++shortTurns < SHORT_TURNS_MAX;
    }

    /** Does the connections' work and calls the application; returns the number of events. */
    private int finishTurn(boolean idle) {
        // Most likely idle turns follow too, and those look.
        int busyTurnsPerLook = idleTurns > 0 ? TURNS_PER_LOOK : turnsPerLook;
        if (!idle) {
            idleTurns = 0;
        }
        boolean looked = idle || work.connections;
        int events = looked ? look() : 0;
        if (work.calls > 0) {
            events += signals.drain();
            events += work.messages > 0 ? messages.drain() : 0;
            events += completions.drain();
        }
        if (!looked && turnsSinceLook >= busyTurnsPerLook) {
            // After the completions: their posts are in flight meanwhile. A disconnect lets in what preceded it, and
            // the handler's last call is below.
            events += lookWhileBusy() + signals.drain();
            events += work.messages > 0 ? messages.drain() : 0;
        }
        return work.connections ? events + connections.deliverEnds() : events;
    }

    private boolean isIdleLookDue() {
        // The owner of an idle worker may pause between its turns.
        idleTurns = Math.min(idleTurns, FIRST_IDLE_TURNS) + 1;
        if (idleTurns > FIRST_IDLE_TURNS) {
            // The length of the next busy turns is unknown.
            turnsPerLook = 1;
            return true;
        }
        return idleTurns % IDLE_TURNS_PER_LOOK == 0;
    }

    /** Reads the clock, and does the connections' work that is due. */
    private int look() {
        readClock();
        turnsSinceLook = 0;
        lookedNs = clock.nowNs();
        if (!work.connections && !connections.isDue(lookedNs)) {
            return 0;
        }
        return connections.advance(lookedNs) + connections.deliverConnected();
    }

    /**
     * Reads the clock while every turn has work, and checks whether the turns are long. Connections without work can
     * wait.
     */
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

    /**
     * Notifies the attached tasks that the worker begins to close. They may do what completions may, and no turn runs
     * inside.
     */
    void notifyTasksOfClose() {
        insideTurn(tasks::notifyClosing);
    }

    /** Runs call-backs that may do what completions may, outside of a turn. */
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
        // Before the queue is read: a command added meanwhile sets it again.
        commandsWaiting = false;
        int count = 0;
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            try {
                command.run();
            } catch (Throwable thrown) {
                // The failed command is of one endpoint or region; the next commands are of others.
                Callbacks.logThrown(LOG, thrown, "a command of a worker failed");
            }
            count++;
        }
        return count;
    }

    /**
     * Waits until there may be something to do, for at most the given time; returns at once if there is something
     * already.
     */
    void await(long timeoutNs) {
        if (timeoutNs < SHORTEST_WAIT_NS) {
            return;
        }
        // Tasks first, because they may post operations.
        long limitNs = Math.min(timeoutNs, tasksMaxWaitNs());
        limitNs = Math.min(limitNs, connections.longestWaitNs());
        if (limitNs < SHORTEST_WAIT_NS || work.calls > 0 || commandsWaiting) {
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
        // Makes writes that precede a wake-up visible from here on.
        boolean _ = woken.getAndSet(false);
        readClock();
        // The worker may be busy from now on, and did not check its connections while it waited.
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

    /** Yields the processor to peers. */
    void pause() {
        loop.await(SHORTEST_WAIT_NS);
    }
}
