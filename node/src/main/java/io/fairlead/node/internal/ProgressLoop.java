package io.fairlead.node.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.node.WorkerThread;
import io.fairlead.spi.CloseSteps;
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
 * A progress thread's duty cycle: takes what callers handed over, makes progress, matches, and delivers what has ended.
 *
 * <p>Nothing of the application's runs inside the worker's progress: completions and handlers are put aside and delivered after
 * it, where a callback may call anything. What a callback posts goes past the shared queue, so that it can never wait for itself.
 */
final class ProgressLoop implements Runnable, WorkerThread {
    private static final Logger LOG = LoggerFactory.getLogger(ProgressLoop.class);

    /** As long as {@link io.fairlead.IdleStrategy#backOff()} waits. */
    private static final long WAIT_NS = 100_000_000L;
    /** While an operation has no room: nothing promises that room is an event which ends a wait. */
    private static final long STALLED_WAIT_NS = 2_000_000L;

    /** As many refusals leave at once where the process has no memory. */
    private static final int REFUSAL_BLOCKS = 16;

    private final NodeEngine node;
    private final NodeSettings settings;
    private final int index;
    private final ProgressThread thread;
    private final CompletableFuture<Void> started = new CompletableFuture<>();

    private final LoopQueue queue = new LoopQueue(this::accept);
    private final AtomicBoolean waiting = new AtomicBoolean();
    private volatile boolean stopping;
    private volatile boolean terminated;

    private final Deliveries deliveries;
    private final Permits receivePermits;
    /** That keep what was freed in this turn. */
    private final Deque<Permits> keeping = new ArrayDeque<>();

    private boolean delivering;
    private final Timers timers = new Timers();
    /** All that have not ended for good. */
    private final Set<PeerLink> open = new LinkedHashSet<>();
    /** How many those are, and connections that are being made of which none has come yet. */
    private final AtomicInteger load = new AtomicInteger();

    private final PeerTable peers = new PeerTable();
    private final Deque<PeerLink> ended = new ArrayDeque<>();
    private final List<PeerLink> stalled = new ArrayList<>();
    private @Nullable NodeOperation<?> firstPosted;
    private volatile @Nullable Worker worker;
    private @Nullable LoopReceives receives;
    private final IdleTurns idleTurns;
    /** For refusals where the process has no other memory, so that a request is always answered. */
    private final Deque<NativePool.Block> refusalBlocks;

    ProgressLoop(NodeEngine node, NodeSettings settings, int index) {
        this.node = node;
        this.settings = settings;
        this.index = index;
        this.deliveries = new Deliveries(node.executor());
        this.receivePermits = node.receives().permits(this);
        this.idleTurns = settings.idle().turns();
        this.refusalBlocks = node.pool().reserve(REFUSAL_BLOCKS, RequestFrame.REFUSAL_LENGTH_MAX);
        this.thread = new ProgressThread(
                this, "fairlead-" + (settings.name().isEmpty() ? "node" : settings.name()) + "-" + index, node.pool());
    }

    /** Starts the thread; the result tells that it has a worker. */
    CompletableFuture<Void> start() {
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

    /** The place of this loop among those of its node. */
    int index() {
        return index;
    }

    NodeEngine node() {
        return node;
    }

    Thread thread() {
        return thread;
    }

    @Override
    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /**
     * Hands over an operation.
     *
     * @param waitNs how long to wait for room
     * @return false if there was none; otherwise the task is accepted or refused, now or later
     */
    boolean enqueue(LoopTask task, long waitNs) {
        if (isCurrent()) {
            if (task instanceof NodeOperation<?> && queue.isLocalEmpty()) {
                // Nothing was called before it that waits, so that a reply is with the worker when its callback
                // returns.
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
        } else if (!enqueue(call, node.patienceNs())) {
            call.refuse(Failures.of("task for a worker", Status.BACK_PRESSURE, thread.getName(), Optional.empty()));
        }
        return call;
    }

    /** Hands over a command, behind the commands and not the operations of the same caller. */
    void execute(LoopTask task) {
        if (!isCurrent()) {
            queue.addCommand(task);
            signal();
        } else if (terminated) {
            task.refuse(Failures.nodeClosed());
        } else {
            queue.addLocal(task);
        }
    }

    /** Asks the loop to end. */
    void stop() {
        stopping = true;
        Worker waker = worker;
        if (waker != null) {
            waker.wakeup();
        }
    }

    boolean isStopping() {
        return stopping;
    }

    Deliveries deliveries() {
        return deliveries;
    }

    /** How many connections this loop has or is about to have. */
    AtomicInteger load() {
        return load;
    }

    /** Permits to wait for a message. */
    Permits receivePermits() {
        return receivePermits;
    }

    private void signal() {
        // The waiting thread looks at the queues after it has set the flag, and this looks at the flag after it has
        // filled one.
        if (waiting.get() && waiting.compareAndSet(true, false)) {
            worker().wakeup();
        }
        if (terminated) {
            queue.refuseRest(Failures.nodeClosed());
        }
    }

    // On the loop's thread.

    Worker worker() {
        return Objects.requireNonNull(worker, "worker");
    }

    LoopReceives receives() {
        return Objects.requireNonNull(receives, "receives");
    }

    PeerTable peers() {
        return peers;
    }

    Timers timers() {
        return timers;
    }

    /** Memory for a refusal; null if there is none now. */
    NativePool.@Nullable Block refusalBlock() {
        try {
            return node.pool().stage(RequestFrame.REFUSAL_LENGTH_MAX);
        } catch (OutOfMemoryError none) {
            return refusalBlocks.poll();
        }
    }

    /** Whether callbacks run. */
    boolean isDelivering() {
        return delivering;
    }

    /** The permits keep some, which they will be asked to give back. */
    void keeps(Permits permits) {
        keeping.add(permits);
    }

    void deliver(Delivery delivery) {
        deliveries.add(delivery);
    }

    /** The engine has the operation now. */
    void posted(NodeOperation<?> operation) {
        operation.notePosted();
        operation.next = firstPosted;
        if (firstPosted != null) {
            firstPosted.previous = operation;
        }
        firstPosted = operation;
    }

    /** The engine is done with the operation. */
    void unposted(NodeOperation<?> operation) {
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

    /** The link lives from now on, connected or not, and takes a place unless it has one. */
    void opened(PeerLink link, boolean hasPlace) {
        if (open.add(link) && !hasPlace) {
            load.incrementAndGet();
        }
    }

    /** The link has ended for good. */
    void over(PeerLink link) {
        if (open.remove(link)) {
            load.decrementAndGet();
        }
        stalled.remove(link);
    }

    /** The link's endpoint has ended; the consequences wait until progress has returned. */
    void ended(PeerLink link) {
        ended.add(link);
    }

    /** The link has operations that the engine had no room for. */
    void stalled(PeerLink link) {
        stalled.add(link);
    }

    // The duty cycle.

    @Override
    public void run() {
        try {
            Worker opened = node.context().newWorker();
            receives = new LoopReceives(this, opened);
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
            node.stop();
        }
        end(cause);
    }

    private void notStarted(Throwable failure) {
        terminated = true;
        queue.refuseRest(Failures.nodeClosed());
        node.ended();
        started.completeExceptionally(failure);
    }

    private int turn() {
        int events = queue.drain();
        events += worker().progress();
        events += settle();
        events += receives().turn();
        if (!stalled.isEmpty()) {
            events += retry();
        }
        events += timers.run();
        giveBackPermits();
        if (!deliveries.isEmpty()) {
            delivering = true;
            events += deliveries.run();
            delivering = false;
            giveBackPermits();
        }
        return events;
    }

    private void giveBackPermits() {
        for (Permits permits = keeping.poll(); permits != null; permits = keeping.poll()) {
            permits.giveBack();
        }
    }

    private void accept(LoopTask task) {
        try {
            task.accept(this);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a task of a node failed; task={}", task);
            if (task instanceof NodeOperation<?> operation) {
                operation.fail(this, thrown);
            } else if (task instanceof RequestAnswer answer) {
                answer.failThrown(thrown);
            }
        }
    }

    private int settle() {
        int events = 0;
        for (PeerLink link = ended.poll(); link != null; link = ended.poll()) {
            try {
                link.settle();
            } catch (Throwable thrown) {
                endPeer(link, thrown);
            }
            events++;
        }
        return events;
    }

    private int retry() {
        int posted = 0;
        int next = 0;
        while (next < stalled.size()) {
            PeerLink link = stalled.get(next);
            boolean over = isOver(link);
            // A link that ends meanwhile takes itself out of the list.
            boolean listed = next < stalled.size() && stalled.get(next) == link;
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

    /** Posts what a link has waiting; true if nothing is left of it. */
    private static boolean isOver(PeerLink link) {
        try {
            return link.retry();
        } catch (Throwable thrown) {
            endPeer(link, thrown);
            return true;
        }
    }

    private static void endPeer(PeerLink link, Throwable thrown) {
        guarded("ending a peer of a node", () -> link.failThrown(thrown));
    }

    private void idle(int events) {
        if (events > 0) {
            idleTurns.busy();
            return;
        }
        switch (idleTurns.idle()) {
            case SPIN -> Thread.onSpinWait();
            case YIELD -> Thread.yield();
            case WAIT -> await(stalled.isEmpty() && !receives().isStalled() ? WAIT_NS : STALLED_WAIT_NS);
        }
    }

    private void await(long limitNs) {
        waiting.set(true);
        // Whoever fills a queue after this look sees the flag, and wakes the worker.
        if (queue.isEmpty() && deliveries.isEmpty() && !stopping) {
            worker().await(timers.limit(limitNs));
        }
        waiting.set(false);
    }

    // The end.

    /** Gives what was called before the close its time to be posted. */
    private void drainGracefully() {
        long startNs = System.nanoTime();
        receives().failAll(Failures.nodeClosed());
        queue.drain();
        List.copyOf(open).forEach(PeerLink::nodeCloses);
        turn();
        while (!stalled.isEmpty() && System.nanoTime() - startNs < settings.closeNs()) {
            if (turn() == 0) {
                worker().await(STALLED_WAIT_NS);
            }
        }
    }

    private void end(FairleadException cause) {
        LoopReceives closing = receives();
        guarded("failing the receives of a node", () -> closing.failAll(cause));
        guarded("failing the queued operations of a node", () -> CloseSteps.runEach(stalled, PeerLink::failBacklog));
        guarded("closing the worker of a node", worker()::close);
        guarded("delivering the messages of a node", closing.contexts()::workerClosed);
        guarded("settling the ended peers of a node", this::settle);
        guarded("ending the peers of a node", () -> CloseSteps.runEach(List.copyOf(open), PeerLink::nodeEnded));
        for (NodeOperation<?> operation = firstPosted; operation != null; operation = firstPosted) {
            NodeOperation<?> ending = operation;
            unposted(ending);
            guarded("failing an operation of a node", () -> ending.fail(this, cause));
        }
        terminated = true;
        guarded("refusing what was called on a node", () -> queue.refuseRest(cause));
        while (!queue.isLocalEmpty() || !deliveries.isEmpty()) {
            queue.refuseLocal(cause);
            guarded("the last callbacks of a node", deliveries::run);
            guarded("giving back permits of a node", this::giveBackPermits);
        }
        guarded("giving back permits of a node", this::giveBackPermits);
        node.ended();
    }

    private static void guarded(String what, Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            Callbacks.logThrown(LOG, failure, "{} failed", what);
        }
    }
}
