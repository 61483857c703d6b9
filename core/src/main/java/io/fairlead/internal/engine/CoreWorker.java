package io.fairlead.internal.engine;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.MessageInfo;
import io.fairlead.PathPolicy;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.control.ControlFrame;
import io.fairlead.internal.events.LongOperationEvent;
import io.fairlead.internal.handshake.Handshake;
import io.fairlead.internal.handshake.HandshakeEndpoint;
import io.fairlead.internal.handshake.HandshakeHost;
import io.fairlead.internal.handshake.Introductions;
import io.fairlead.internal.memory.RegionTable;
import io.fairlead.internal.net.SelectorLoop;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.internal.transports.ThrownCause;
import io.fairlead.spi.Descriptors;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Counters;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker: receives and probes, the duty cycle of {@link #progress()}, and the way out. What concerns connections and
 * their ends is in {@link Connections}.
 */
final class CoreWorker implements Worker, WorkerHost, HandshakeHost {
    private static final Logger LOG = LoggerFactory.getLogger(CoreWorker.class);

    /** Between two looks at the clock while there is work in every turn. */
    private static final int TURNS_PER_LOOK = 32;
    /** Of so many turns one goes to the network, however many operations end inside their posts. */
    private static final int SHORT_TURNS_MAX = 8;
    /** What an end that the transport completes at once takes is two: one to close it, one to tell. */
    private static final int LEAST_TURNS = 64;
    /** Below this a selector cannot wait, and rounding up would be longer than the caller allowed. */
    private static final long SHORTEST_WAIT_NS = 1_000_000;

    private static final int NOTHING = -1;
    /** Of a selector and what the JDK opens with the first one. */
    private static final int DESCRIPTORS_MIN = 8;

    private final Thread owner = Thread.currentThread();
    private final CoreContext context;
    private final Settings settings;
    private final Selector selector;
    private final SelectorLoop loop;
    private final Connections connections;
    private final Introductions introductions;
    private final OperationPool pool;
    private final CompletionQueue completions;
    private final SignalQueue signals = new SignalQueue();
    private final WorkerStatistics counters;
    private final ByteBuffer controlBuffer = ByteBuffer.allocateDirect(ControlFrame.MAX_LENGTH);
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final Receives receives;

    /** Something is in {@link #commands}; a plain look is cheaper than asking the queue in every turn. */
    private volatile boolean commandsWaiting;

    private List<TransportWorker> transports = List.of();
    /** Those with endpoints: the others need no progress. */
    private TransportWorker[] active = new TransportWorker[0];

    private long nowNs = System.nanoTime();
    private int turns;
    private int shortTurns;
    /** No transport in use waits for progress to send what was posted. */
    private boolean shortTurnsAllowed;

    private boolean progressing;
    /** The place of the operation that is being posted, if its completion may run at the end of the post. */
    private int posting = NOTHING;

    private boolean closeRequested;
    private boolean closing;
    private boolean closed;
    /** A transport has thrown since the close began. */
    private boolean progressFailed;

    private CoreWorker(CoreContext context) throws IOException {
        this.context = context;
        this.settings = context.settings();
        this.selector = Selector.open();
        this.loop = new SelectorLoop(selector);
        this.pool = new OperationPool(this, settings.operationsMax());
        this.completions = new CompletionQueue(pool);
        this.counters = context.totals().newWorker(settings.latencySampling(), pool::inUse);
        this.receives = new Receives(this);
        this.introductions =
                new Introductions(context.openTransports(), settings, context.incarnation(), context.keySecret());
        this.connections = new Connections(this, loop);
    }

    static CoreWorker open(CoreContext context) {
        int free = Descriptors.free();
        if (free < DESCRIPTORS_MIN) {
            throw new FairleadException(Reason.LIMIT_REACHED, "cannot open a worker: " + Descriptors.shortage(free));
        }
        CoreWorker worker;
        try {
            worker = new CoreWorker(context);
        } catch (IOException failure) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "cannot open a selector: cause: " + failure.getMessage()
                            + "; raise the limit of open files (ulimit -n)",
                    failure);
        }
        worker.openTransports();
        return worker;
    }

    /** Makes this worker's part of each transport. A transport that has no room for one more worker is left out of this one. */
    private void openTransports() {
        List<TransportWorker> opened = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        context.openTransports().byName().forEach((name, transport) -> {
            try {
                TransportWorker part = transport.newWorker(this);
                opened.add(part);
                introductions.add(name, part);
            } catch (Throwable thrown) {
                failures.add(thrown);
                introductions.lacks(name, ThrownCause.logged(LOG, "a worker is without a transport", name, thrown));
            }
        });
        transports = List.copyOf(opened);
        if (!opened.isEmpty()) {
            return;
        }
        loop.close();
        throw failures.getFirst() instanceof FairleadException known && failures.size() == 1
                ? known
                : new FairleadException(
                        Reason.TRANSPORT,
                        "no transport can make a worker: " + introductions.causes(),
                        failures.getFirst());
    }

    // The duty cycle.

    @Override
    public int progress() {
        checkOpen();
        if (progressing) {
            throw new IllegalStateException("progress called from inside a completion or handler of the same worker");
        }
        int events = turn();
        if (closeRequested) {
            shutDown();
        }
        return events;
    }

    private int turn() {
        progressing = true;
        // A post that threw may have left it.
        posting = NOTHING;
        try {
            if (shortTurnsAllowed && !completions.isEmpty() && ++shortTurns < SHORT_TURNS_MAX) {
                // What has ended inside its post is told at once; the network has its turn in the next.
                counters.add(Counter.PROGRESS_CALLS, 1);
                return completions.drain(this);
            }
            shortTurns = 0;
            int events = commandsWaiting ? runCommands() : 0;
            for (TransportWorker transport : active) {
                events += closing ? progressInClose(transport) : transport.progress();
            }
            turns++;
            // An idle turn always looks: its owner may pause until the next one.
            boolean idle = events == 0 && completions.isEmpty() && signals.isEmpty();
            boolean look = idle || turns % TURNS_PER_LOOK == 0 || connections.stirred();
            if (look) {
                nowNs = System.nanoTime();
                counters.watch().looked(nowNs);
                events += connections.advance(nowNs);
                events += connections.announce();
            }
            if (!signals.isEmpty()) {
                events += signals.drain();
            }
            if (!completions.isEmpty()) {
                events += completions.drain(this);
            }
            if (connections.stirred()) {
                events += connections.settle();
            }
            counters.add(Counter.PROGRESS_CALLS, 1);
            if (events == 0) {
                counters.add(Counter.PROGRESS_IDLE, 1);
            }
            return events;
        } finally {
            progressing = false;
        }
    }

    /** A transport that throws must not keep its worker from closing, and the others from saying goodbye. */
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

    @Override
    public void await(long timeoutNs) {
        checkOpen();
        if (timeoutNs < 0) {
            throw new IllegalArgumentException("timeout out of range: timeoutNs=" + timeoutNs + ", allowed 0 and up");
        }
        if (progressing) {
            throw new IllegalStateException("await called from inside a completion or handler of the same worker");
        }
        long limitNs = Math.min(timeoutNs, connections.longestWaitNs());
        if (limitNs < SHORTEST_WAIT_NS || !completions.isEmpty() || !signals.isEmpty() || commandsWaiting) {
            return;
        }
        for (TransportWorker transport : active) {
            if (!transport.arm()) {
                return;
            }
        }
        counters.watch().rests();
        loop.await(limitNs);
        nowNs = System.nanoTime();
        counters.watch().looked(nowNs);
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    // Receiving.

    @Override
    public long receive(
            MemorySegment buffer,
            long offset,
            long length,
            long tag,
            long tagMask,
            Completion completion,
            long userData) {
        checkOpen();
        return receives.post(null, buffer, offset, length, tag, tagMask, completion, userData);
    }

    @Override
    public boolean probe(long tag, long tagMask, MessageInfo info) {
        checkOpen();
        return receives.probe(tag, tagMask, own(info));
    }

    @Override
    public boolean claim(long tag, long tagMask, MessageInfo info) {
        checkOpen();
        return receives.claim(tag, tagMask, own(info));
    }

    @Override
    public long receiveClaimed(
            MessageInfo info, MemorySegment buffer, long offset, long length, Completion completion, long userData) {
        checkOpen();
        return receives.postClaimed(own(info), buffer, offset, length, completion, userData);
    }

    @Override
    public boolean cancel(long request) {
        checkOpen();
        CoreOperation operation = pool.find(request);
        return operation != null && receives.cancel(operation);
    }

    @Override
    public MessageInfo newMessageInfo() {
        checkOpen();
        return new CoreMessageInfo(this);
    }

    private CoreMessageInfo own(MessageInfo info) {
        if (info instanceof CoreMessageInfo known && known.worker == this) {
            return known;
        }
        throw new IllegalArgumentException("message info is of another worker; make one with newMessageInfo()");
    }

    // Completing.

    /** An operation has ended; its completion runs in this turn or the next. */
    void completed(CoreOperation operation, Status status) {
        operation.ended(status);
        receives.ended(operation);
        operation.releaseKey();
        CoreEndpoint on = operation.owner();
        if (on != null) {
            on.life().finished(operation);
            on.counterSet().count(operation.kind, status, operation.length());
        }
        if (operation.index != posting) {
            completions.add(operation);
        }
        int figures = on == null ? counters.layout().operations(0) : on.life().figures();
        counters.ended(operation.kind, status, operation.length(), figures);
        if (status == Status.OK && operation.startedNs != WorkerStatistics.UNTIMED) {
            timed(operation, figures);
        }
    }

    private void timed(CoreOperation operation, int figures) {
        long durationNs = counters.timed(operation.kind, operation.startedNs, figures);
        if (LongOperationEvent.isRecorded() && operation.kind != CoreOperation.RECEIVE) {
            CoreEndpoint on = operation.owner();
            LongOperationEvent.consider(
                    operation.operationKind(),
                    settings.name(),
                    on == null ? null : on.life(),
                    operation.length(),
                    durationNs);
        }
    }

    /** A post begins; what may throw is behind it. */
    void beginPost(CoreOperation operation) {
        posting = operation.immediate && !progressing ? operation.index : NOTHING;
    }

    /** A post is about to return: if its operation has ended, an immediate completion runs now. */
    void endPost(CoreOperation operation) {
        if (posting == NOTHING) {
            return;
        }
        posting = NOTHING;
        if (operation.state == CoreOperation.COMPLETED) {
            progressing = true;
            try {
                CompletionQueue.tell(this, operation);
            } finally {
                progressing = false;
            }
            if (closeRequested) {
                shutDown();
            }
        }
    }

    /** An operation's completion has run. */
    void delivered(CoreOperation operation) {
        CoreEndpoint on = operation.owner();
        pool.giveBack(operation);
        if (on != null) {
            on.life().delivered();
        }
    }

    void signalled(CoreEndpoint endpoint, long value) {
        signals.add(endpoint, value);
    }

    long backPressure() {
        counters.add(Counter.BACK_PRESSURE_EVENTS, 1);
        return Status.BACK_PRESSURE.code();
    }

    void count(CoreEndpoint endpoint, Counter counter, long amount) {
        endpoint.counterSet().add(counter, amount);
        counters.add(counter, amount);
    }

    // Connecting.

    @Override
    public Listener listen(InetSocketAddress address, EndpointHandler handler) {
        checkOpen();
        return connections.listen(address, Objects.requireNonNull(handler, "handler"));
    }

    @Override
    public Endpoint connect(InetSocketAddress address, EndpointHandler handler) {
        return connect(address, settings.policy(), handler);
    }

    @Override
    public Endpoint connect(InetSocketAddress address, PathPolicy policy, EndpointHandler handler) {
        checkOpen();
        Objects.requireNonNull(policy, "policy");
        return connections.connect(address, policy, Objects.requireNonNull(handler, "handler"));
    }

    @Override
    public String shortage() {
        return connections.shortage();
    }

    @Override
    public @Nullable HandshakeEndpoint newEndpoint(
            Handshake handshake, InetSocketAddress peer, EndpointHandler handler) {
        EndpointLife life = connections.newLife(peer, handler);
        if (life != null) {
            life.handshake(handshake);
        }
        return life;
    }

    /** A transport has its first endpoint and needs progress from now on. */
    void activate(TransportWorker transport) {
        if (!Arrays.asList(active).contains(transport)) {
            active = Arrays.copyOf(active, active.length + 1);
            active[active.length - 1] = transport;
            shortTurnsAllowed = Arrays.stream(active).allMatch(TransportWorker::movesInPost);
        }
    }

    /** A region is closed; called from any thread. */
    void revoke(long regionId) {
        commands.add(() -> connections.sendRevoke(regionId));
        commandsWaiting = true;
        wakeup();
    }

    // Closing.

    void close(EndpointLife life) {
        startClose(life);
        finish(life);
    }

    void startClose(EndpointLife life) {
        checkThread();
        life.beginClose(System.nanoTime() + settings.closeNs());
    }

    void abort(EndpointLife life) {
        checkThread();
        life.abort();
        finish(life);
    }

    /** Makes progress until an endpoint is over, unless progress is what called. */
    private void finish(EndpointLife life) {
        if (progressing || closed) {
            return;
        }
        turnUntil(life::over);
        if (!life.over()) {
            life.abort();
            turnUntil(life::over);
        }
        if (closeRequested) {
            shutDown();
        }
    }

    /**
     * Makes progress until something is over, for at most the time of a goodbye and what follows it; but some turns in any case, because a thread
     * that was kept from the processor for longer than that has not had its chance.
     */
    private void turnUntil(BooleanSupplier over) {
        long deadlineNs = System.nanoTime() + 2 * settings.closeNs();
        for (int turn = 0; !over.getAsBoolean() && (turn < LEAST_TURNS || System.nanoTime() - deadlineNs < 0); turn++) {
            if (turn() == 0) {
                Thread.yield();
            }
        }
    }

    @Override
    public void close() {
        checkThread();
        if (closed) {
            return;
        }
        if (progressing) {
            closeRequested = true;
        } else {
            shutDown();
        }
    }

    private void shutDown() {
        if (closing) {
            return;
        }
        closing = true;
        // Whatever fails on the way, the transports are closed before the context is, and every operation ends.
        guarded("ending the endpoints", this::endAll);
        closed = true;
        guarded("dropping the messages", receives::discardAll);
        transports.forEach(transport -> guarded("closing a transport", transport::close));
        guarded("completing what its transports left", this::completeRest);
        guarded("closing the selector", loop::close);
        pool.forget();
        receives.publish(counters);
        counters.set(Counter.CREDITS_OUTSTANDING, 0);
        counters.set(Counter.CREDITS_LIMIT, 0);
        context.totals().close(counters);
        context.forget(this);
    }

    private void endAll() {
        connections.beginClose(System.nanoTime() + settings.closeNs());
        turnUntil(connections::over);
        if (!connections.over()) {
            connections.abort();
            turnUntil(connections::over);
        }
        receives.cancelAll();
        while (!completions.isEmpty() || connections.lingers()) {
            if (turn() == 0 && completions.isEmpty()) {
                // Peers have to be given the processor to take what is left for them; close.timeout bounds this.
                loop.await(SHORTEST_WAIT_NS);
            }
        }
    }

    /** What a transport could complete only by its own end, or never would; the completions find a closed worker. */
    private void completeRest() {
        receives.cancelAll();
        for (CoreOperation operation : pool.inFlight()) {
            operation.complete(Status.CANCELLED, 0);
        }
        while (!completions.isEmpty()) {
            completions.drain(this);
        }
        connections.settle();
    }

    private static void guarded(String what, Runnable step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            LOG.error("a worker's close failed at {}; it goes on", what, thrown);
        }
    }

    // What others ask.

    Thread owner() {
        return owner;
    }

    /** Whether the worker has begun to close, and takes no new receives. */
    boolean closing() {
        return closing;
    }

    OperationPool pool() {
        return pool;
    }

    @Override
    public WorkerStatistics counterSet() {
        return counters;
    }

    @Override
    public Settings settings() {
        return settings;
    }

    Connections connections() {
        return connections;
    }

    Receives receives() {
        return receives;
    }

    @Override
    public Introductions introductions() {
        return introductions;
    }

    RegionTable regions() {
        return context.regions();
    }

    ByteBuffer controlBuffer() {
        return controlBuffer;
    }

    // A thread is its own identity; it has no other equality.
    @SuppressWarnings("ReferenceEquality")
    void checkThread() {
        if (Thread.currentThread() != owner) {
            throw new WrongThreadException("worker belongs to another thread: owner=" + owner.getName() + ", caller="
                    + Thread.currentThread().getName() + "; use a worker of this thread, or a Node");
        }
    }

    void checkOpen() {
        checkThread();
        if (closed) {
            throw new IllegalStateException("worker is closed");
        }
    }

    @Override
    public Selector selector() {
        return selector;
    }

    @Override
    public int pollSelector() {
        return loop.poll(nowNs);
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public Counters counters() {
        return counters;
    }

    /** Counts a connection that a layer above has made again. */
    void countReconnect() {
        context.totals().countReconnect();
    }

    @Override
    public Context context() {
        return context;
    }
}
