package io.fairlead.transport.shm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices the end of peers' processes, and lets peers notice the end of this one, before the kernel has freed the memory
 * of a killed process. Its sockets close only after that, up to a second later for 1 GiB.
 *
 * <p>A thread holds the futexes in the rings that peers write to ({@link RobustList}), and looks at those in the peers'
 * rings. It runs from the first ring on. Where it cannot, the end of the control connection reports the death.
 * Thread-safe.
 */
final class Lifeline implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Lifeline.class);

    private static final long TICK_NS = 10_000_000;

    /** Guarded by this, as all that follows is. */
    private final List<Watched> watched = new ArrayList<>();

    private @Nullable Thread thread;
    /** The thread's list; null before there is one, and where there can be none. */
    private @Nullable RobustList held;

    private boolean closed;

    /** What shows whether a peer's process lives. */
    interface Watched {
        /** Whether the kernel has begun to end the process. */
        boolean isLost();

        /** Called once if so, on the lifeline's thread, which it must not delay. */
        void reportLost();
    }

    /**
     * Lets the peer that maps a slab notice the end of this process.
     *
     * @param entry the memory of this process alone before the slab
     */
    synchronized void hold(long entry) {
        if (thread == null && !closed) {
            start();
        }
        if (held != null) {
            held.add(entry);
        }
    }

    /** The slab will be unmapped. */
    synchronized void release(long entry) {
        if (held != null) {
            held.remove(entry);
        }
    }

    /** Looks at a peer's process from now on. */
    synchronized void watch(Watched peer) {
        watched.add(peer);
        notifyAll();
    }

    /** After this nothing looks at the peer any more. */
    synchronized void forget(Watched peer) {
        watched.remove(peer);
    }

    private void start() {
        CompletableFuture<@Nullable RobustList> list = new CompletableFuture<>();
        try {
            thread = Thread.ofPlatform().daemon().name("fairlead-shm-life").start(() -> run(list));
            held = list.join();
        } catch (OutOfMemoryError noThread) {
            LOG.debug("killed peers are noticed by their connections alone: no thread can be started", noThread);
        }
    }

    private void run(CompletableFuture<@Nullable RobustList> created) {
        try (RobustList list = new RobustList(Ring.FUTEX_AFTER_ENTRY)) {
            created.complete(list);
            try {
                look();
            } finally {
                end();
            }
        } catch (IOException | RuntimeException | Error failure) {
            LOG.debug("killed peers are noticed by their connections alone", failure);
        } finally {
            created.complete(null);
        }
    }

    private synchronized void look() {
        while (!closed) {
            for (int i = watched.size() - 1; i >= 0; i--) {
                Watched peer = watched.get(i);
                if (peer.isLost()) {
                    watched.remove(i);
                    peer.reportLost();
                }
            }
            try {
                if (watched.isEmpty()) {
                    wait();
                } else {
                    TimeUnit.NANOSECONDS.timedWait(this, TICK_NS);
                }
            } catch (InterruptedException unknown) {
                // Only a close ends this thread, not an interrupt.
                LOG.debug("the watch of processes was interrupted", unknown);
            }
        }
    }

    private synchronized void end() {
        held = null;
    }

    /** Ends the thread; after all rings are freed. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            notifyAll();
            running = thread;
        }
        if (running != null) {
            ThreadEnd.await(running);
        }
    }
}
