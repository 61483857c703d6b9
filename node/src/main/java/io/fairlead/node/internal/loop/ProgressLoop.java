package io.fairlead.node.internal.loop;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.node.WorkerThread;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.memory.ProgressThread;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.LayerWorker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A progress thread's duty cycle: takes what callers have submitted, makes progress, matches, and delivers what has ended.
 *
 * <p>No code of the application runs inside the worker's progress. Completions and events are queued and delivered after it, where a callback
 * may call anything. What a callback posts goes past the shared queue, so the loop never waits for itself.
 */
public final class ProgressLoop implements Runnable, WorkerThread {
    private static final Logger LOG = LoggerFactory.getLogger(ProgressLoop.class);

    /** As long as {@link io.fairlead.IdleStrategy#backOff()} waits. */
    private static final long WAIT_NS = 100_000_000L;
    /** While an operation waits for capacity, because free capacity need not be an event that ends a wait. */
    private static final long STALLED_WAIT_NS = 2_000_000L;
    /** Of a close, for peers that connect: a thread that did not run meanwhile has had no chance. */
    private static final int LEAST_TURNS = 64;

    private final LoopGroup group;
    private final NodeSettings settings;
    private final int index;
    private final ProgressThread thread;
    private final CompletableFuture<Void> started = new CompletableFuture<>();

    private final LoopQueue queue = new LoopQueue(this::accept);
    private final AtomicBoolean waiting = new AtomicBoolean();
    private volatile boolean stopping;
    private volatile boolean terminated;

    private final Deliveries deliveries;
    /** Semaphores that keep what was released in this turn. */
    private final Deque<LoopSemaphore> keeping = new ArrayDeque<>();

    private boolean delivering;
    private final Timers timers = new Timers();
    /** All that have not ended for good. */
    private final Set<LoopPeer> open = new LinkedHashSet<>();
    /** How many those are, and how many accepted connections are on their way here. */
    private final AtomicInteger load = new AtomicInteger();

    /** Drains that wait for answers. */
    private final Set<LoopLeave> leaving = new LinkedHashSet<>();
    /** A drain has ended with all answered. */
    private boolean left;

    private final Deque<LoopPeer> ended = new ArrayDeque<>();
    private final List<LoopPeer> stalled = new ArrayList<>();
    private @Nullable NodeOperation<?> firstPosted;
    private volatile @Nullable LayerWorker worker;
    private @Nullable LoopWork work;
    private final IdleTurns idleTurns;

    ProgressLoop(LoopGroup group, int index) {
        this.group = group;
        this.settings = group.settings();
        this.index = index;
        this.deliveries = new Deliveries(group.executor());
        this.idleTurns = settings.idle().turns();
        this.thread = new ProgressThread(
                this, "fairlead-" + (settings.name().isEmpty() ? "node" : settings.name()) + "-" + index, group.pool());
    }

    /**
     * Starts the thread.
     *
     * @param beside what it does beside progress
     * @return completes when the thread has a worker
     */
    CompletableFuture<Void> start(LoopWork beside) {
        work = beside;
        try {
            thread.start();
        } catch (OutOfMemoryError noThread) {
            notStarted(new FairleadException(
                    Reason.LIMIT_REACHED,
                    "cannot start a progress thread: thread=" + thread.getName() + ", cause: " + noThread.getMessage()
                            + "; raise the limit of threads (ulimit -u, TasksMax= for systemd, --pids-limit for a container)",
                    noThread));
        }
        return started;
    }

    // From any thread.

    /** The index of this loop in its group. */
    public int index() {
        return index;
    }

    public LoopGroup group() {
        return group;
    }

    public ProgressThread thread() {
        return thread;
    }

    @Override
    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /**
     * Submits an operation.
     *
     * @param waitNs how long to wait if the queue is full
     * @return false if the queue stayed full; otherwise the task is accepted or refused, now or later
     */
    public boolean enqueue(LoopTask task, long waitNs) {
        if (isCurrent()) {
            if (task instanceof NodeOperation<?> && queue.isLocalEmpty()) {
                // No earlier call waits, so a reply is posted before its callback returns.
                accept(task);
            } else {
                queue.addLocal(task);
            }
            return true;
        }
        if (!queue.tryAdd(task, waitNs)) {
            return false;
        }
        signal();
        return true;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> call(Function<? super Worker, ? extends T> task) {
        WorkerCall<T> call = new WorkerCall<>(Objects.requireNonNull(task, "task"));
        if (stopping) {
            call.refuse(Failures.nodeClosed());
        } else if (!enqueue(call, group.patienceNs())) {
            call.refuse(Failures.of("task for a worker", Status.BACK_PRESSURE, thread.getName(), Optional.empty()));
        }
        return call;
    }

    /** Submits a command, which keeps its order with the caller's commands, but not with its operations. */
    public void execute(LoopTask task) {
        if (!isCurrent()) {
            queue.addCommand(task);
            signal();
        } else if (terminated) {
            task.refuse(Failures.nodeClosed());
        } else {
            queue.addLocal(task);
        }
    }

    /** Lets the peers go. The future has true when all requests are answered; false if the loop ends first. */
    CompletableFuture<Boolean> leave(long startNs, long limitNs) {
        LoopLeave leave = new LoopLeave(leaving, startNs, limitNs);
        execute(leave);
        return leave.left();
    }

    /** A drain has ended, on the loop's thread. */
    void left(boolean answered) {
        left |= answered;
    }

    /** Asks the loop to end. */
    void stop() {
        stopping = true;
        Worker waker = worker;
        if (waker != null) {
            waker.wakeup();
        }
    }

    public boolean isStopping() {
        return stopping;
    }

    public Deliveries deliveries() {
        return deliveries;
    }

    /** How many connections this loop has or is about to have. */
    public AtomicInteger load() {
        return load;
    }

    private void signal() {
        // The waiting thread sets the flag before it checks the queues, and this fills a queue before it checks the
        // flag.
        if (waiting.get() && waiting.compareAndSet(true, false)) {
            worker().wakeup();
        }
        if (terminated) {
            queue.refuseRest(Failures.nodeClosed());
        }
    }

    // On the loop's thread.

    public LayerWorker worker() {
        return Objects.requireNonNull(worker, "worker");
    }

    private LoopWork work() {
        return Objects.requireNonNull(work, "work");
    }

    public Timers timers() {
        return timers;
    }

    /** Whether callbacks run. */
    public boolean isDelivering() {
        return delivering;
    }

    /** The semaphore keeps permits, and is to return them at the end of the turn. */
    void keeps(LoopSemaphore semaphore) {
        keeping.add(semaphore);
    }

    public void deliver(Delivery delivery) {
        deliveries.add(delivery);
    }

    /** The engine has the operation now. */
    public void posted(NodeOperation<?> operation) {
        operation.notePosted();
        operation.next = firstPosted;
        if (firstPosted != null) {
            firstPosted.previous = operation;
        }
        firstPosted = operation;
    }

    /** The engine is done with the operation. */
    public void unposted(NodeOperation<?> operation) {
        NodeOperation<?> before = operation.previous;
        NodeOperation<?> after = operation.next;
        if (before == null) {
            firstPosted = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        }
        operation.previous = null;
        operation.next = null;
    }

    /** The peer belongs to this loop from now on, connected or not. It counts in the load unless it does already. */
    public void opened(LoopPeer peer, boolean hasSlot) {
        if (open.add(peer) && !hasSlot) {
            load.incrementAndGet();
        }
    }

    /** The peer has ended for good. */
    public void over(LoopPeer peer) {
        if (open.remove(peer)) {
            load.decrementAndGet();
        }
        stalled.remove(peer);
    }

    /** The peer's endpoint has ended. The consequences wait until progress has returned. */
    public void ended(LoopPeer peer) {
        ended.add(peer);
    }

    /** The peer has operations that the engine had no capacity for. */
    public void stalled(LoopPeer peer) {
        stalled.add(peer);
    }

    // The duty cycle.

    @Override
    public void run() {
        try {
            // Every worker is one.
            LayerWorker opened = (LayerWorker) group.context().newWorker();
            work().started(opened);
            worker = opened;
        } catch (Throwable failure) {
            notStarted(failure);
            return;
        }
        started.complete(null);
        FairleadException cause = Failures.nodeClosed();
        try {
            while (!stopping) {
                idle(turn());
            }
            drainGracefully();
        } catch (Throwable failure) {
            Callbacks.logThrown(LOG, failure, "progress of a node failed; the node closes");
            cause = new FairleadException(
                    Reason.TRANSPORT,
                    "progress failed: cause: " + failure + "; the node is closed, start another",
                    failure);
            group.fail();
        }
        end(cause);
    }

    private void notStarted(Throwable failure) {
        terminated = true;
        queue.refuseRest(Failures.nodeClosed());
        group.ended();
        started.completeExceptionally(failure);
    }

    private int turn() {
        int events = queue.drain();
        events += worker().progress();
        events += settle();
        events += work().turn();
        if (!stalled.isEmpty()) {
            events += retry();
        }
        events += timers.run();
        releaseKept();
        if (!deliveries.isEmpty()) {
            delivering = true;
            events += deliveries.run();
            delivering = false;
            releaseKept();
        }
        return events;
    }

    private void releaseKept() {
        for (LoopSemaphore semaphore = keeping.poll(); semaphore != null; semaphore = keeping.poll()) {
            semaphore.giveBack();
        }
    }

    private void accept(LoopTask task) {
        try {
            task.accept(this);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a task of a node failed; task={}", task);
            task.fail(this, thrown);
        }
    }

    private int settle() {
        int events = 0;
        for (LoopPeer peer = ended.poll(); peer != null; peer = ended.poll()) {
            try {
                peer.settle();
            } catch (Throwable thrown) {
                endPeer(peer, thrown);
            }
            events++;
        }
        return events;
    }

    @SuppressWarnings("ReferenceEquality") // The peer itself.
    private int retry() {
        int posted = 0;
        int next = 0;
        while (next < stalled.size()) {
            LoopPeer peer = stalled.get(next);
            boolean over = isOver(peer);
            // A peer that ends meanwhile takes itself out of the list.
            boolean listed = next < stalled.size() && stalled.get(next) == peer;
            if (over && listed) {
                stalled.remove(next);
            }
            if (over) {
                posted++;
            } else if (listed) {
                next++;
            }
        }
        return posted;
    }

    /** Posts the waiting operations of a peer. Returns true if nothing is left of them. */
    private static boolean isOver(LoopPeer peer) {
        try {
            return peer.retry();
        } catch (Throwable thrown) {
            endPeer(peer, thrown);
            return true;
        }
    }

    private static void endPeer(LoopPeer peer, Throwable thrown) {
        guarded("ending a peer of a node", () -> peer.failThrown(thrown));
    }

    private void idle(int events) {
        if (events > 0) {
            idleTurns.busy();
            return;
        }
        switch (idleTurns.idle()) {
            case SPIN -> Thread.onSpinWait();
            case YIELD -> Thread.yield();
            case WAIT -> await(stalled.isEmpty() && !work().isStalled() ? WAIT_NS : STALLED_WAIT_NS);
        }
    }

    private void await(long limitNs) {
        waiting.set(true);
        // A thread that fills a queue after this check sees the flag, and wakes the worker.
        if (queue.isEmpty() && deliveries.isEmpty() && !stopping) {
            worker().await(timers.limit(limitNs));
        }
        waiting.set(false);
    }

    // The end.

    /** Lets what was called before the close be posted. */
    private void drainGracefully() {
        long startNs = System.nanoTime();
        work().failAll(Failures.nodeClosed());
        queue.drain();
        List.copyOf(open).forEach(LoopPeer::nodeCloses);
        turn();
        while (!stalled.isEmpty() && System.nanoTime() - startNs < settings.closeNs()) {
            if (turn() == 0) {
                worker().await(STALLED_WAIT_NS);
            }
        }
        if (left) {
            finishAccepting();
        }
    }

    /**
     * Lets those go that have connected since the others have left, and whose requests may be under way. The worker closes right after it: another turn could
     * let one more connect.
     */
    private void finishAccepting() {
        long startNs = System.nanoTime();
        worker().stopAccepting();
        for (int turn = 0;
                !isLeft() && (turn < LEAST_TURNS || System.nanoTime() - startNs < settings.closeNs());
                turn++) {
            if (turn() == 0) {
                worker().await(STALLED_WAIT_NS);
            }
        }
    }

    /** Notifies each peer that the node leaves. Returns true if their requests are answered, and none of them sends another. */
    boolean isLeft() {
        boolean all = !worker().isAccepting();
        for (LoopPeer peer : open) {
            all &= peer.leave();
        }
        return all;
    }

    private void end(FairleadException cause) {
        LoopWork closing = work();
        guarded("failing the receives of a node", () -> closing.failAll(cause));
        guarded("failing the queued operations of a node", () -> CloseSteps.runEach(stalled, LoopPeer::failBacklog));
        guarded("closing the worker of a node", worker()::close);
        guarded("delivering the messages of a node", closing::workerClosed);
        guarded("settling the ended peers of a node", this::settle);
        guarded("ending the peers of a node", () -> CloseSteps.runEach(List.copyOf(open), LoopPeer::nodeEnded));
        for (NodeOperation<?> operation = firstPosted; operation != null; operation = firstPosted) {
            NodeOperation<?> ending = operation;
            unposted(ending);
            guarded("failing an operation of a node", () -> ending.fail(this, cause));
        }
        guarded("ending the drains of a node", () -> List.copyOf(leaving).forEach(drain -> drain.refuse(cause)));
        terminated = true;
        guarded("refusing what was called on a node", () -> queue.refuseRest(cause));
        while (!queue.isLocalEmpty() || !deliveries.isEmpty()) {
            queue.refuseLocal(cause);
            guarded("the last callbacks of a node", deliveries::run);
            guarded("giving back permits of a node", this::releaseKept);
        }
        guarded("giving back permits of a node", this::releaseKept);
        group.ended();
    }

    private static void guarded(String what, Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            Callbacks.logThrown(LOG, failure, "{} failed", what);
        }
    }
}
