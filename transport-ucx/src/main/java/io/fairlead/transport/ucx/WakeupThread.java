package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.fairlead.spi.WorkerHost;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.ucp.UcpWorker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes a blocked worker on UCX events. A worker blocks on a selector, which cannot watch UCX's event descriptor, so a
 * thread does: it waits on the descriptor from one arming to the event, and is parked otherwise.
 */
final class WakeupThread {
    private static final MethodHandle POLL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("poll"),
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final Logger LOG = LoggerFactory.getLogger(WakeupThread.class);
    /** Time before the next attempt to start a thread that could not be started. */
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long POLLFD_SIZE = 8;
    private static final short POLLIN = 1;

    private enum State {
        /** The worker is awake. */
        PARKED,
        /** The worker may block: the thread watches. */
        ARMED,
        CLOSED
    }

    private final long worker;
    private final WorkerHost host;
    private final int descriptor;
    private final AtomicReference<State> state = new AtomicReference<>(State.PARKED);
    private final Function<Runnable, Thread> threads;
    private @Nullable Thread watcher;
    /** The time of the last failed start; 0 if there was none. */
    private long refusedNs;

    WakeupThread(long worker, WorkerHost host) {
        this(worker, host, Thread.ofPlatform().daemon()::unstarted);
    }

    /** For tests, with their own threads. */
    WakeupThread(long worker, WorkerHost host, Function<Runnable, Thread> threads) {
        this.worker = worker;
        this.host = host;
        this.threads = threads;
        this.descriptor = Ucp.eventDescriptor(worker);
    }

    /** Prepares to block; false if there is something to do, or there is no way to be notified. */
    boolean arm() {
        // The thread first: an armed worker without a watcher would never wake.
        if (descriptor < 0 || !hasWatcher() || Ucp.arm(worker) != Ucp.OK) {
            return false;
        }
        if (state.compareAndSet(State.PARKED, State.ARMED)) {
            LockSupport.unpark(watcher);
        }
        return true;
    }

    private boolean hasWatcher() {
        if (watcher != null) {
            return true;
        }
        if (refusedNs != 0 && System.nanoTime() - refusedNs < PAUSE_NS) {
            return false;
        }
        Thread starting = threads.apply(this::watch);
        starting.setName("fairlead-ucx-events-" + descriptor);
        try {
            starting.start();
        } catch (OutOfMemoryError noThread) {
            if (refusedNs == 0) {
                LOG.warn(
                        "the thread that wakes a waiting worker cannot be started; the worker does not wait until it can be; cause: {}",
                        noThread.getMessage());
            }
            refusedNs = System.nanoTime() | 1;
            return false;
        }
        watcher = starting;
        return true;
    }

    private void watch() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pollfd = arena.allocate(POLLFD_SIZE, Integer.BYTES);
            while (state.get() != State.CLOSED) {
                if (state.get() == State.PARKED) {
                    LockSupport.park(this);
                    continue;
                }
                pollfd.set(JAVA_INT, 0, descriptor);
                pollfd.set(JAVA_SHORT, 4, POLLIN);
                pollfd.set(JAVA_SHORT, 6, (short) 0);
                int _ = poll(pollfd);
                if (state.compareAndSet(State.ARMED, State.PARKED)) {
                    host.wakeup();
                }
            }
        }
    }

    private static int poll(MemorySegment pollfd) {
        try {
            return (int) POLL.invokeExact(pollfd, 1L, -1);
        } catch (Throwable impossible) {
            throw Ucp.unexpected(impossible);
        }
    }

    /** Ends the thread, before the worker that owns the descriptor is destroyed. */
    void close(UcpWorker owner) {
        state.set(State.CLOSED);
        Thread running = watcher;
        if (running == null) {
            return;
        }
        LockSupport.unpark(running);
        boolean interrupted = false;
        while (running.isAlive()) {
            owner.signal();
            try {
                running.join(10);
            } catch (InterruptedException stop) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
