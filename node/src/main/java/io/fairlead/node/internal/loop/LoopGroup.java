package io.fairlead.node.internal.loop;

import io.fairlead.Context;
import io.fairlead.FairleadException;
import io.fairlead.node.BackPressure;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.RequestInterceptor;
import io.fairlead.node.internal.memory.ByteBudget;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.node.internal.memory.ProgressThread;
import io.fairlead.spi.CloseSteps;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The loops of a node, the context that they drive, and what they share. Thread-safe. */
public final class LoopGroup {
    private static final Logger LOG = LoggerFactory.getLogger(LoopGroup.class);

    /** How often a close looks for a callback that blocks a loop. */
    private static final long LOOK_NS = 100_000_000L;
    /** What a close takes at most beside three times the configured time-out. */
    private static final long CLOSE_SLACK_NS = 1_000_000_000L;

    /** One peer has at most this part of what may wait, so that a slow one leaves capacity for the others. */
    private static final int ROOM_SHARE = 4;

    private final Context context;
    private final NodeSettings settings;
    private final @Nullable Executor executor;
    /** Stops the node, because a loop has failed. */
    private final Runnable failed;

    private final NativePool pool = new NativePool();
    private final ByteBudget waitingBytes;
    private final List<ProgressLoop> loops;
    private final AtomicInteger turn = new AtomicInteger();
    private final AtomicInteger running;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile @Nullable NodeObserver observer;
    private volatile @Nullable RequestInterceptor interceptor;

    /**
     * Creates the loops, without their threads.
     *
     * @param context owned by the group from {@link #start} on
     * @param executor where futures complete and handlers run; null for the progress threads
     * @param failed stops the node; called by a loop that has failed
     */
    public LoopGroup(Context context, NodeSettings settings, @Nullable Executor executor, Runnable failed) {
        this.context = context;
        this.settings = settings;
        this.executor = executor;
        this.failed = failed;
        this.waitingBytes = new ByteBudget(settings.queueBytes());
        this.running = new AtomicInteger(settings.threads());
        this.loops = IntStream.range(0, settings.threads())
                .mapToObj(index -> new ProgressLoop(this, index))
                .toList();
    }

    /** Starts the threads, and waits until each has a worker. */
    public void start(Function<ProgressLoop, ? extends LoopWork> work) {
        CompletableFuture<?>[] started =
                loops.stream().map(loop -> loop.start(work.apply(loop))).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(started).join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
    }

    // Which loop.

    public List<ProgressLoop> loops() {
        return loops;
    }

    /** The caller's own loop, if the caller is on one, because it cannot wait for another. Otherwise the loops take turns. */
    public ProgressLoop next() {
        for (ProgressLoop loop : loops) {
            if (loop.isCurrent()) {
                return loop;
            }
        }
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    /** The loop with the fewest connections. Loops with equally many take turns. */
    public ProgressLoop leastLoaded() {
        int first = turn.getAndIncrement();
        ProgressLoop least = loops.get(Math.floorMod(first, loops.size()));
        for (int i = 1; i < loops.size(); i++) {
            ProgressLoop other = loops.get(Math.floorMod(first + i, loops.size()));
            if (other.load().get() < least.load().get()) {
                least = other;
            }
        }
        return least;
    }

    // What they share.

    public Context context() {
        return context;
    }

    public NodeSettings settings() {
        return settings;
    }

    public @Nullable Executor executor() {
        return executor;
    }

    public NativePool pool() {
        return pool;
    }

    /** The observer of the node; null if there is none, which is all that an operation then checks. */
    public @Nullable NodeObserver observer() {
        return observer;
    }

    public void observer(@Nullable NodeObserver newObserver) {
        observer = newObserver;
    }

    /** What sees the node's requests; null if nothing does. */
    public @Nullable RequestInterceptor interceptor() {
        return interceptor;
    }

    public void interceptor(@Nullable RequestInterceptor newInterceptor) {
        interceptor = newInterceptor;
    }

    /** A bound on the copies that wait to be sent to one peer, or to one set of peers. */
    public ByteLimit newByteLimit() {
        return new ByteLimit(waitingBytes, settings.queueBytes() / ROOM_SHARE);
    }

    /** How long the calling thread may wait for capacity. */
    public long patienceNs() {
        return settings.backPressure() == BackPressure.WAIT && !ProgressThread.isCurrent() ? settings.waitNs() : 0;
    }

    // The end.

    public boolean isStopping() {
        return loops.getFirst().isStopping();
    }

    /**
     * Has the peers notified that the node leaves, and waits until their requests are answered. Not on a progress thread.
     *
     * @return false if the limit comes first, or the loops end
     */
    public boolean leave(long startNs, long limitNs) throws InterruptedException {
        List<CompletableFuture<Boolean>> leaving =
                loops.stream().map(loop -> loop.leave(startNs, limitNs)).toList();
        boolean all = true;
        for (CompletableFuture<Boolean> left : leaving) {
            try {
                all &= left.get(Math.max(0, startNs + limitNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException busy) {
                // A callback blocks the loop.
                all = false;
            } catch (ExecutionException impossible) {
                throw new AssertionError(impossible);
            }
        }
        return all;
    }

    /**
     * Waits until each loop has ended the turn that it is in. Not on a progress thread.
     *
     * @return false if the limit comes first
     */
    public boolean awaitTurns(long startNs, long limitNs) throws InterruptedException {
        for (ProgressLoop loop : loops) {
            CompletableFuture<Void> turn = new CompletableFuture<>();
            loop.execute(new LoopTurn(turn));
            try {
                turn.get(Math.max(0, startNs + limitNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException busy) {
                return false;
            } catch (ExecutionException impossible) {
                throw new AssertionError(impossible);
            }
        }
        return true;
    }

    /** Completes a future in a turn of a loop, or when that has ended. */
    private record LoopTurn(CompletableFuture<Void> turn) implements LoopTask {
        @Override
        public void accept(ProgressLoop loop) {
            turn.complete(null);
        }

        @Override
        public void refuse(FairleadException cause) {
            turn.complete(null);
        }
    }

    /** Asks the loops to end. Does not wait. */
    public void stop() {
        CloseSteps.runEach(loops, ProgressLoop::stop);
    }

    /** A loop has failed: the node closes. */
    void fail() {
        failed.run();
    }

    /** A loop has ended. The last one closes the context. */
    void ended() {
        if (running.decrementAndGet() > 0) {
            return;
        }
        try {
            context.close();
        } catch (Throwable failure) {
            LOG.error("closing the context of a node failed", failure);
        }
        over.countDown();
    }

    /** Waits until the loops have ended, and interrupts callbacks that keep them from it. Not on a progress thread. */
    public void awaitEnd() {
        long startNs = System.nanoTime();
        long[] seen = new long[loops.size()];
        try {
            while (!over.await(LOOK_NS, TimeUnit.NANOSECONDS)) {
                if (System.nanoTime() - startNs > closeLimitNs()) {
                    warnOfSlowClose("node");
                    return;
                }
                interruptBlockedCallbacks(seen);
                if (isLeftToExit()) {
                    LOG.warn(
                            "a node ends with the process and does not disconnect its peers: a callback or task on its progress thread called System.exit; call it on another thread");
                    return;
                }
            }
            for (ProgressLoop loop : loops) {
                // All that is left to do is to end the thread.
                loop.thread().join(LOOK_NS / 1_000_000);
            }
        } catch (InterruptedException interrupted) {
            // The loops end all the same, only later than this.
            Thread.currentThread().interrupt();
        }
    }

    /** Interrupts a callback that was running at the last look too, because it keeps its loop from ending. */
    private void interruptBlockedCallbacks(long[] seen) {
        for (int i = 0; i < seen.length; i++) {
            ProgressLoop loop = loops.get(i);
            long now = loop.deliveries().running();
            if (now != 0 && now == seen[i]) {
                loop.thread().interrupt();
            }
            seen[i] = now;
        }
    }

    /**
     * Whether the only threads left wait inside {@code System.exit}. That call does not return, and if this close is a shutdown hook each would
     * wait for the other.
     */
    private boolean isLeftToExit() {
        return loops.stream().anyMatch(loop -> isExiting(loop.thread()))
                && loops.stream().allMatch(loop -> !loop.thread().isAlive() || isExiting(loop.thread()));
    }

    private static boolean isExiting(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().equals("java.lang.Runtime")
                    && frame.getMethodName().equals("exit")) {
                return true;
            }
        }
        return false;
    }

    public void warnOfSlowClose(String what) {
        for (ProgressLoop loop : loops) {
            StackTraceElement[] stack = loop.thread().getStackTrace();
            if (stack.length > 0) {
                LOG.warn(
                        "a close goes on in the background, because a progress thread does not end; closing={}, thread={}, at={}",
                        what,
                        loop.thread().getName(),
                        stack[0]);
            }
        }
    }

    /** How long a close may wait. */
    public long closeLimitNs() {
        return 4 * settings.closeNs() + CLOSE_SLACK_NS;
    }
}
