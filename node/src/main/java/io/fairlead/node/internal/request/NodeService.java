package io.fairlead.node.internal.request;

import io.fairlead.internal.log.Callbacks;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.internal.errors.Arguments;
import io.fairlead.node.internal.loop.LoopGroup;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.ProgressThread;
import java.time.Duration;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A service: its handler, and the slots of the requests that it has at once. One peer has at most three quarters of the slots and of the queue,
 * which leaves capacity for others. Thread-safe.
 */
final class NodeService implements Service, TagMap.Tagged {
    private static final Logger LOG = LoggerFactory.getLogger(Service.class);
    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("fairlead-service").start(task);

    private final LoopGroup group;
    private final TagMap<NodeService> services;
    private final long tag;
    private final ServiceHandler handler;
    private final ServiceFigures figures;
    private final Executor executor;
    private final int concurrencyMax;
    private final int queueMax;
    private final boolean messagesToCallers;
    private final int peerConcurrencyMax;
    private final int peerQueueMax;
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Queue<ServedRequest> queue = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;
    private volatile boolean draining;
    /** Where a drain waits until no request is left. */
    private final Object idle = new Object();

    NodeService(
            LoopGroup group,
            TagMap<NodeService> services,
            long tag,
            ServiceHandler handler,
            ServiceOptions options,
            ServiceFigures figures) {
        this.group = group;
        this.services = services;
        this.tag = tag;
        this.handler = handler;
        this.figures = figures;
        Executor ofNode = group.executor();
        this.executor = options.executor().orElse(ofNode == null ? VIRTUAL : ofNode);
        this.concurrencyMax = options.concurrencyMax();
        this.queueMax = options.queueMax();
        this.messagesToCallers = options.messagesToCallers();
        this.peerConcurrencyMax = concurrencyMax - concurrencyMax / 4;
        this.peerQueueMax = queueMax - queueMax / 4;
    }

    /**
     * What one peer has of the service. Its lock makes the peer's share and the sum of all change at once: otherwise a slot that is taken and
     * given back hides a free one from a thread that looks for it.
     */
    static final class Share {
        /** Slots. */
        private int running;
        /** Slots to wait. */
        private int waiting;
    }

    boolean isClosed() {
        return closed;
    }

    ServiceFigures figures() {
        return figures;
    }

    Executor executor() {
        return executor;
    }

    /** Calls the handler, on its executor. */
    void handle(ServedRequest request) {
        NodeObserver observer = request.context().isEmpty() ? null : group.observer();
        if (observer == null) {
            call(request);
        } else {
            callObserved(request, observer);
        }
    }

    /** The observer may do something around the handler, but not instead. */
    private void callObserved(ServedRequest request, NodeObserver observer) {
        AtomicBoolean called = new AtomicBoolean();
        Runnable call = () -> {
            if (called.compareAndSet(false, true)) {
                call(request);
            }
        };
        try {
            observer.handled(figures.service(), request, call);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "an observer threw at a request; tag={}", tag);
        }
        call.run();
    }

    private void call(ServedRequest request) {
        try {
            RequestScope.handle(request, handler);
        } catch (RequestException chosen) {
            if (!request.tryFail(chosen.status(), chosen.text())) {
                Callbacks.logThrown(LOG, chosen, "a handler threw behind its answer; tag={}", tag);
            }
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a handler of requests threw; tag={}, peer={}", tag, request.source());
            boolean _ = request.tryFail(RequestStatus.FAILED, said(thrown));
        }
    }

    /** Messages of exceptions may have passwords, paths and names of other callers. */
    private String said(Throwable thrown) {
        String message = messagesToCallers ? thrown.getMessage() : null;
        return "the handler threw " + thrown.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }

    /** Takes a request on its loop's thread: gives it a slot, queues it, or refuses it. */
    void offer(ServedRequest request) {
        if (queue.isEmpty() && tryTakeSlot(request)) {
            request.loop().deliver(request);
        } else if (tryWait(request)) {
            queue.add(request);
            // A slot may have become free in between.
            startWaiting();
            if (closed) {
                refuseWaiting();
            }
        } else if (tryTakeSlot(request)) {
            // All that wait belong to peers that have used up their share.
            request.loop().deliver(request);
        } else {
            request.refuse(
                    RequestStatus.RESOURCE_EXHAUSTED,
                    "the service has as many requests as it takes: running=" + concurrencyMax + ", waiting=" + queueMax
                            + ", of one peer running=" + peerConcurrencyMax + ", waiting=" + peerQueueMax
                            + "; call later, or raise ServiceOptions.limits");
        }
    }

    private boolean tryTakeSlot(ServedRequest request) {
        Share share = request.share();
        synchronized (share) {
            boolean taken = share.running < peerConcurrencyMax && tryAdd(running, concurrencyMax);
            if (taken) {
                share.running++;
                request.tookSlot();
            }
            return taken;
        }
    }

    private boolean tryWait(ServedRequest request) {
        Share share = request.share();
        synchronized (share) {
            boolean taken = share.waiting < peerQueueMax && tryAdd(waiting, queueMax);
            share.waiting += taken ? 1 : 0;
            return taken;
        }
    }

    private static boolean tryAdd(AtomicInteger count, int max) {
        int now = count.get();
        while (now < max) {
            if (count.compareAndSet(now, now + 1)) {
                return true;
            }
            now = count.get();
        }
        return false;
    }

    /** The slot of a request is free. */
    void released(ServedRequest request) {
        releaseSlot(request);
        startWaiting();
    }

    private void releaseSlot(ServedRequest request) {
        Share share = request.share();
        synchronized (share) {
            share.running--;
        }
        running.decrementAndGet();
        ended();
    }

    private void waitsNoMore(ServedRequest request) {
        Share share = request.share();
        synchronized (share) {
            share.waiting--;
        }
        waiting.decrementAndGet();
        ended();
    }

    private void ended() {
        if (draining) {
            synchronized (idle) {
                idle.notifyAll();
            }
        }
    }

    /** Gives free slots to the oldest requests in the queue, except those whose peers have used up their share. */
    private void startWaiting() {
        Iterator<ServedRequest> each = queue.iterator();
        while (each.hasNext() && running.get() < concurrencyMax) {
            ServedRequest next = each.next();
            if (!tryTakeSlot(next)) {
                continue;
            }
            if (!queue.remove(next)) {
                // It has ended, or another thread has given it a slot.
                releaseSlot(next);
                each = queue.iterator();
                continue;
            }
            waitsNoMore(next);
            ProgressLoop loop = next.loop();
            if (loop.isCurrent()) {
                loop.deliver(next);
            } else {
                loop.execute(new LoopTask.Action(on -> on.deliver(next)));
            }
        }
    }

    /** A request has ended before a handler got it. Returns false if it does not wait for a slot. */
    boolean forget(ServedRequest request) {
        if (!queue.remove(request)) {
            return false;
        }
        waitsNoMore(request);
        request.releaseMemory();
        return true;
    }

    /** Runs something of a handler's. */
    void execute(Runnable action) {
        try {
            executor.execute(() -> runGuarded(action));
        } catch (Throwable rejected) {
            runGuarded(action);
        }
    }

    private void runGuarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a handler of cancelled requests threw; tag={}", tag);
        }
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public int running() {
        return running.get();
    }

    @Override
    public int waiting() {
        return waiting.get();
    }

    @Override
    public boolean drain(Duration timeout) {
        long limitNs = Arguments.timeoutNs(timeout);
        if (ProgressThread.isCurrent()) {
            throw new IllegalStateException(
                    "a progress thread cannot wait for its own answers; drain the service on another thread");
        }
        services.remove(this);
        draining = true;
        long startNs = System.nanoTime();
        try {
            // Behind what each loop does now, no request is left that has found the service and has no slot yet.
            return group.awaitTurns(startNs, limitNs) && awaitIdle(startNs, limitNs);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean awaitIdle(long startNs, long limitNs) throws InterruptedException {
        synchronized (idle) {
            while (running.get() > 0 || waiting.get() > 0) {
                long leftNs = startNs + limitNs - System.nanoTime();
                if (leftNs <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(idle, leftNs);
            }
        }
        return true;
    }

    @Override
    public void close() {
        services.remove(this);
        closed = true;
        refuseWaiting();
    }

    private void refuseWaiting() {
        for (ServedRequest request = queue.poll(); request != null; request = queue.poll()) {
            waitsNoMore(request);
            request.refuse(RequestStatus.UNAVAILABLE, "the service has closed; ask another node");
        }
    }

    @Override
    public String toString() {
        return "service[tag=" + tag + ", running=" + running + ", waiting=" + waiting + "]";
    }
}
