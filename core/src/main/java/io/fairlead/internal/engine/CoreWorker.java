package io.fairlead.internal.engine;

import io.fairlead.ActiveMessage;
import io.fairlead.ActiveMessageHandler;
import io.fairlead.Completion;
import io.fairlead.ConnectionRequest;
import io.fairlead.ConnectionRequestHandler;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.Listener;
import io.fairlead.MatchHandler;
import io.fairlead.MessageInfo;
import io.fairlead.PathPolicy;
import io.fairlead.WorkerTask;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.control.ControlFrame;
import io.fairlead.internal.events.EndpointLog;
import io.fairlead.internal.handshake.HandshakeOffers;
import io.fairlead.internal.liveness.HostWatch;
import io.fairlead.internal.matching.MessageSource;
import io.fairlead.internal.matching.UnexpectedQueue;
import io.fairlead.internal.memory.RegionTable;
import io.fairlead.internal.net.SelectorLoop;
import io.fairlead.internal.statistics.WorkerStatistics;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.LayerWorker;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Objects;

/**
 * The worker's implementation. {@link DutyCycle} has the turn of progress, {@link Connections} the connections, and
 * {@link WorkerShutdown} the close.
 */
final class CoreWorker implements LayerWorker, WorkerHost {
    private final WorkerThread thread = new WorkerThread();
    private final TurnWork work = new TurnWork();
    private final CoarseClock clock = new CoarseClock();
    private final CoreContext context;
    private final Settings settings;
    private final EndpointLog log;
    private final SharedValues shared = new SharedValues();
    private final Selector selector;
    private final SelectorLoop loop;
    private final Connections connections;
    private final HandshakeOffers offers;
    private final OperationPool pool;
    private final CompletionDelivery completions;
    private final SignalQueue signals = new SignalQueue(work);
    private final AttachedTasks tasks = new AttachedTasks(work);
    private final WorkerStatistics statistics;
    private final ByteBuffer controlBuffer = ByteBuffer.allocateDirect(ControlFrame.MAX_LENGTH);
    private final ReceiveMatching receives;
    private final ActiveMessages active;
    private final DutyCycle cycle;
    private final WorkerShutdown shutdown;

    private List<TransportWorker> transports = List.of();

    private CoreWorker(CoreContext context, SelectorLoop loop) {
        this.context = context;
        this.settings = context.settings();
        this.log = new EndpointLog(settings.name());
        this.loop = loop;
        this.selector = loop.selector();
        this.statistics = context.totals().newWorker(settings.latencySampling(), () -> pool().inUse());
        UnexpectedQueue unexpected = new UnexpectedQueue();
        Runnable closing = () -> shutdown().closeIfRequested();
        this.completions = new CompletionDelivery(
                settings.operationsMax(), statistics, unexpected, work, closing, settings.name());
        this.pool = completions.pool();
        this.receives = new ReceiveMatching(
                thread,
                completions,
                statistics,
                new HeldMessages(this, unexpected),
                new LateBuffers(this, thread, completions));
        this.active = new ActiveMessages(receives, completions, thread, work);
        this.offers = new HandshakeOffers(
                context.openTransports(), settings, context.security(), context.incarnation(), context.keySecret());
        this.connections = new Connections(this, loop, context.security(), context.access(), context.resumable());
        this.cycle = new DutyCycle(statistics, clock, loop, connections, completions, signals, active, tasks, work);
        this.shutdown = new WorkerShutdown(this, cycle, completions);
    }

    static CoreWorker open(CoreContext context) {
        CoreWorker worker = new CoreWorker(context, SelectorLoop.open());
        try {
            worker.transports = WorkerTransports.open(context.openTransports(), worker, worker.offers);
        } catch (RuntimeException | Error failure) {
            worker.loop.close();
            throw failure;
        }
        return worker;
    }

    // Progress.

    @Override
    public int progress() {
        thread.checkOpen();
        int events = cycle.runTurn();
        return work.following ? runFollowing(events) : events;
    }

    /** Does what follows the turn; returns all events. */
    private int runFollowing(int events) {
        long all = (long) events + cycle.runTasks();
        work.following = !tasks.isEmpty();
        shutdown.closeIfRequested();
        return (int) Math.min(all, Integer.MAX_VALUE);
    }

    @Override
    public boolean isInsideProgress() {
        checkThread();
        return completions.isRunning();
    }

    @Override
    public void attach(WorkerTask task) {
        checkOpen();
        if (isClosing()) {
            throw new IllegalStateException("worker is closing; it takes no more tasks");
        }
        tasks.attach(Objects.requireNonNull(task, "task"));
    }

    @Override
    public void detach(WorkerTask task) {
        checkThread();
        tasks.detach(Objects.requireNonNull(task, "task"));
    }

    @Override
    public void await(long timeoutNs) {
        checkOpen();
        if (timeoutNs < 0) {
            throw new IllegalArgumentException("timeout out of range: timeoutNs=" + timeoutNs + ", allowed 0 and up");
        }
        if (completions.isRunning()) {
            throw new IllegalStateException(
                    "await called from inside a completion, handler or task of the same worker");
        }
        cycle.await(timeoutNs);
        shutdown.closeIfRequested();
    }

    @Override
    public void wakeup() {
        cycle.wakeup();
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
    public long receive(MatchHandler handler, long tag, long tagMask, Completion completion, long userData) {
        checkOpen();
        return receives.post(handler, tag, tagMask, completion, userData);
    }

    @Override
    public void register(int number, ActiveMessageHandler handler) {
        checkOpen();
        active.register(number, 0, ActiveMessage.HANDLER_MAX, handler);
    }

    @Override
    public void unregister(int number) {
        checkThread();
        active.unregister(number, 0, ActiveMessage.HANDLER_MAX);
    }

    @Override
    public void registerLayer(int number, ActiveMessageHandler handler) {
        checkOpen();
        active.register(number, LAYER_HANDLER_MIN, LAYER_HANDLER_MAX, handler);
    }

    @Override
    public void registerLayer(int number, Endpoint endpoint, ActiveMessageHandler handler) {
        checkThread();
        active.register(number, HeldMessages.endpointOf((MessageSource) endpoint), handler);
    }

    @Override
    public void unregisterLayer(int number) {
        checkThread();
        active.unregister(number, LAYER_HANDLER_MIN, LAYER_HANDLER_MAX);
    }

    @Override
    public boolean isAccepting() {
        checkThread();
        return connections.isAccepting();
    }

    @Override
    public void stopAccepting() {
        checkThread();
        connections.stopAccepting();
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

    // Connecting.

    @Override
    public Listener listen(InetSocketAddress address, EndpointHandler handler) {
        return starter().listen(address, handler);
    }

    @Override
    public Listener listen(InetSocketAddress address, ConnectionRequestHandler handler) {
        return starter().listen(address, handler);
    }

    @Override
    public Endpoint accept(ConnectionRequest request, EndpointHandler handler) {
        return starter().accept(request, handler);
    }

    @Override
    public Endpoint connect(InetSocketAddress address, EndpointHandler handler) {
        return starter().connect(address, settings.policy(), handler);
    }

    @Override
    public Endpoint connect(InetSocketAddress address, PathPolicy policy, EndpointHandler handler) {
        return starter().connect(address, policy, handler);
    }

    private ConnectionStarter starter() {
        checkOpen();
        return connections.starter();
    }

    /** A transport has its first endpoint and needs progress from now on. */
    void activate(TransportWorker transport) {
        cycle.activate(transport);
    }

    /** A region is closed; called from any thread. */
    void revoke(long regionId) {
        enqueue(() -> connections.sendRevoke(regionId));
    }

    /** Runs a command in the next turn, and ends the owner's wait; called from any thread. */
    void enqueue(Runnable command) {
        cycle.enqueue(command);
    }

    // Closing.

    @Override
    public void close() {
        closeIfAbandoned();
        checkThread();
        if (!shutdown.isClosed()) {
            shutdown.close();
        }
    }

    /** Closes the worker on the calling thread if its own thread has ended without closing it. */
    void closeIfAbandoned() {
        if (thread.tryAdopt()) {
            shutdown.closeAbandoned();
        }
    }

    /** Everything of this worker has ended: frees its own resources. */
    void release() {
        CloseSteps.runAll(
                loop::close,
                pool::forget,
                receives::publish,
                () -> statistics.set(Counter.CREDITS_OUTSTANDING, 0),
                () -> statistics.set(Counter.CREDITS_LIMIT, 0),
                () -> context.totals().close(statistics),
                () -> context.forget(this));
    }

    // Accessors for other classes.

    WorkerThread thread() {
        return thread;
    }

    TurnWork work() {
        return work;
    }

    CoarseClock clock() {
        return clock;
    }

    CompletionDelivery completions() {
        return completions;
    }

    /** Whether the worker has begun to close, and accepts no new receives. */
    boolean isClosing() {
        return shutdown.isBegun();
    }

    WorkerShutdown shutdown() {
        return shutdown;
    }

    List<TransportWorker> transports() {
        return transports;
    }

    OperationPool pool() {
        return pool;
    }

    WorkerStatistics statistics() {
        return statistics;
    }

    /** What its endpoints have in common. */
    SharedValues shared() {
        return shared;
    }

    /** The log of its endpoints. */
    EndpointLog log() {
        return log;
    }

    Settings settings() {
        return settings;
    }

    HostWatch hosts() {
        return context.hosts();
    }

    Connections connections() {
        return connections;
    }

    ReceiveMatching receives() {
        return receives;
    }

    ActiveMessages active() {
        return active;
    }

    SignalQueue signals() {
        return signals;
    }

    AttachedTasks tasks() {
        return tasks;
    }

    HandshakeOffers offers() {
        return offers;
    }

    RegionTable regions() {
        return context.regions();
    }

    ByteBuffer controlBuffer() {
        return controlBuffer;
    }

    void checkThread() {
        thread.check();
    }

    void checkOpen() {
        thread.checkOpen();
    }

    @Override
    public Selector selector() {
        return selector;
    }

    @Override
    public int pollSelector() {
        return loop.poll(nowNs());
    }

    long nowNs() {
        return clock.nowNs();
    }

    @Override
    public Counters counters() {
        return statistics;
    }

    /** Counts a reconnection of a layer above. */
    void countReconnect() {
        context.totals().countReconnect();
    }

    @Override
    public Context context() {
        return context;
    }
}
