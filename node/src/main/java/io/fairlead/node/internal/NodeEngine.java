package io.fairlead.node.internal;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Worker;
import io.fairlead.node.BackPressure;
import io.fairlead.node.MemberWatch;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.Registration;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.WorkerThread;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.spi.CloseSteps;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine behind {@link Node}: a context and its loops. */
public final class NodeEngine implements Node {
    private static final Logger LOG = LoggerFactory.getLogger(NodeEngine.class);

    /** How often a close looks for a callback that blocks a loop. */
    private static final long LOOK_NS = 100_000_000L;
    /** What a close takes at most beside three times the configured time-out. */
    private static final long CLOSE_SLACK_NS = 1_000_000_000L;

    /** One peer has at most this part of what may wait, so that a slow one leaves room for the others. */
    private static final int ROOM_SHARE = 4;

    private final Context context;
    private final NodeSettings settings;
    private final @Nullable Executor executor;
    private final NativePool pool = new NativePool();
    private final ByteBudget waitingBytes;
    private final ByteBudget requestBytes;
    private final NodeReceives receives;
    private final ServiceTable services = new ServiceTable();
    private final List<RequestFigures> requestFigures;
    private final NodeDiscovery discovery;
    private final List<ProgressLoop> loops;
    private final AtomicInteger turn = new AtomicInteger();
    private final AtomicInteger running;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile @Nullable NodeObserver observer;

    private NodeEngine(Context context, NodeSettings settings, @Nullable Executor executor) {
        this.context = context;
        this.settings = settings;
        this.executor = executor;
        this.waitingBytes = new ByteBudget(settings.queueBytes());
        this.requestBytes = new ByteBudget(settings.queueBytes());
        this.receives = new NodeReceives(this, settings.receivesMax());
        this.discovery = new NodeDiscovery(this, settings.discovery());
        this.running = new AtomicInteger(settings.threads());
        this.requestFigures = Stream.generate(ContextRequests.of(context)::newLoop)
                .limit(settings.threads())
                .toList();
        this.loops = IntStream.range(0, settings.threads())
                .mapToObj(index -> new ProgressLoop(this, settings, index))
                .toList();
    }

    /**
     * Starts a node whose callbacks run on its progress threads.
     *
     * @param config its configuration
     * @return the node
     */
    public static Node start(FairleadConfig config) {
        return start(Context.open(config), null);
    }

    /**
     * Starts a node.
     *
     * @param config its configuration
     * @param executor where futures complete and handlers run
     * @return the node
     */
    public static Node start(FairleadConfig config, Executor executor) {
        return start(Context.open(config), Objects.requireNonNull(executor, "executor"));
    }

    /**
     * Starts a node whose peers may do what an authorizer allows, and whose callbacks run on its progress threads.
     *
     * @param config its configuration
     * @param authorizer decides what peers may do
     * @return the node
     */
    public static Node start(FairleadConfig config, Authorizer authorizer) {
        return start(Context.open(config, authorizer), null);
    }

    /**
     * Starts a node whose peers may do what an authorizer allows.
     *
     * @param config its configuration
     * @param executor where futures complete and handlers run
     * @param authorizer decides what peers may do
     * @return the node
     */
    public static Node start(FairleadConfig config, Executor executor, Authorizer authorizer) {
        return start(Context.open(config, authorizer), Objects.requireNonNull(executor, "executor"));
    }

    /** Starts a node on a context, which it owns from now on. */
    static NodeEngine start(Context context, @Nullable Executor executor) {
        NodeEngine node;
        try {
            node = new NodeEngine(context, NodeSettings.of(context.config()), executor);
        } catch (Throwable failure) {
            context.close();
            throw failure;
        }
        CompletableFuture<?>[] started =
                node.loops.stream().map(ProgressLoop::start).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(started).join();
        } catch (CompletionException failure) {
            node.close();
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
        return node;
    }

    // Connections.

    @Override
    public Listener listen(InetSocketAddress address, Consumer<Peer> accepted) {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(accepted, "accepted");
        ProgressLoop loop = nextLoop();
        LoopCall<NodeListener> call = new LoopCall<>(on -> new NodeListener(this, on, listen(on, address, accepted)));
        if (loop.isStopping()) {
            throw Failures.nodeClosed();
        }
        if (loop.isCurrent()) {
            call.accept(loop);
        } else {
            loop.execute(call);
        }
        if (!call.await(settings.waitNs())) {
            // It may still come to listen; nobody would know.
            CompletableFuture<Void> _ = call.thenAccept(NodeListener::close);
            throw new FairleadException(
                    Reason.TIMED_OUT,
                    "cannot listen: address=" + address + ", the progress thread did not answer within "
                            + TimeUnit.NANOSECONDS.toMillis(settings.waitNs()) + " ms; do not block it in callbacks");
        }
        try {
            return call.join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
    }

    private Listener listen(ProgressLoop on, InetSocketAddress address, Consumer<Peer> accepted) {
        // With one thread there is nothing to choose, and peers that do not get through cost no endpoint.
        return loops.size() == 1
                ? on.worker().listen(address, new Acceptor(on, accepted, false, () -> {}))
                : on.worker().listen(address, new Spreader(this, accepted));
    }

    @Override
    public CompletableFuture<Peer> connect(InetSocketAddress address) {
        return connect(address, settings.policy(), ReconnectPolicy.NEVER);
    }

    @Override
    public CompletableFuture<Peer> connect(InetSocketAddress address, PathPolicy policy, ReconnectPolicy reconnect) {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(reconnect, "reconnect");
        return connect(nextLoop(), address, policy, reconnect);
    }

    ConnectFuture connect(ProgressLoop loop, InetSocketAddress address, PathPolicy policy, ReconnectPolicy reconnect) {
        ConnectFuture future = new ConnectFuture(this, loop, address, policy, reconnect);
        if (loop.isStopping()) {
            future.refuse(Failures.nodeClosed());
        } else {
            loop.execute(future);
        }
        return future;
    }

    @Override
    public CompletableFuture<Peer> connect(String name) {
        return connect(name, settings.policy(), ReconnectPolicy.NEVER);
    }

    @Override
    public CompletableFuture<Peer> connect(String name, PathPolicy policy, ReconnectPolicy reconnect) {
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(reconnect, "reconnect");
        return new NamedConnect(this, nextLoop(), ServiceName.parse(name), policy, reconnect).begin();
    }

    @Override
    public CompletableFuture<PeerSet> peers(String name, PeerSetOptions options) {
        Objects.requireNonNull(options, "options");
        return new NodePeerSet(this, nextLoop(), ServiceName.parse(name), options).open();
    }

    @Override
    public CompletableFuture<MemberWatch> watch(String name) {
        return new NodeMemberWatch(this, nextLoop(), ServiceName.parse(name)).open();
    }

    @Override
    public MemberWatch follow(String name) {
        return new NodeMemberWatch(this, nextLoop(), ServiceName.parse(name)).follow();
    }

    @Override
    public CompletableFuture<Registration> register(String name, Member member) {
        Arguments.reachable(member);
        return new NodeRegistration(this, nextLoop(), ServiceName.parse(name), member).open();
    }

    /** The caller's own loop, where the caller is one: it cannot wait for another. */
    private ProgressLoop nextLoop() {
        for (ProgressLoop loop : loops) {
            if (loop.isCurrent()) {
                return loop;
            }
        }
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    /** The loop with the fewest connections; those with as many take turns. */
    ProgressLoop leastLoaded() {
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

    @Override
    public WorkerThread workerThread() {
        return nextLoop();
    }

    // Receives.

    @Override
    public CompletableFuture<Message> receive(long tag) {
        return receive(null, tag, Worker.FULL_TAG_MASK, settings.messageMax());
    }

    @Override
    public CompletableFuture<Message> receive(long tag, long tagMask, long maxLength) {
        return receive(null, tag, tagMask, maxLength);
    }

    @Override
    public CompletableFuture<Message> receiveInto(MemorySegment buffer, long tag, long tagMask) {
        return receiveInto(null, buffer, tag, tagMask);
    }

    CompletableFuture<Message> receive(@Nullable NodePeer peer, long tag, long tagMask, long maxLength) {
        Arguments.tag(tag);
        Arguments.tagMask(tagMask);
        Arguments.maxLength(maxLength);
        return receives.submit(new NodeReceive(this, peer, tag, tagMask, maxLength, null));
    }

    CompletableFuture<Message> receiveInto(@Nullable NodePeer peer, MemorySegment buffer, long tag, long tagMask) {
        Arguments.tag(tag);
        Arguments.tagMask(tagMask);
        loops.forEach(loop -> Memory.requireTarget(buffer, loop));
        return receives.submit(new NodeReceive(this, peer, tag, tagMask, buffer.byteSize(), buffer));
    }

    // Requests.

    @Override
    public Service serve(long tag, ServiceHandler handler, ServiceOptions options) {
        Arguments.tag(tag);
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(options, "options");
        if (isStopping()) {
            throw Failures.nodeClosed();
        }
        NodeService service = new NodeService(this, tag, handler, options);
        services.add(service);
        return service;
    }

    ServiceTable services() {
        return services;
    }

    /** What a loop counts. */
    RequestFigures requestFigures(ProgressLoop loop) {
        return requestFigures.get(loop.index());
    }

    // Memory.

    @Override
    public MemoryRegion allocate(long length, Set<AccessRight> rights, String label) {
        return unlessClosed(() -> context.allocate(length, rights, label));
    }

    @Override
    public MemoryRegion register(MemorySegment segment, Set<AccessRight> rights, String label) {
        return unlessClosed(() -> context.register(segment, rights, label));
    }

    /** The context may close while it makes a region, and has an exception of its own for that. */
    private MemoryRegion unlessClosed(Supplier<MemoryRegion> region) {
        if (!isStopping()) {
            try {
                return region.get();
            } catch (IllegalStateException refused) {
                if (!isStopping()) {
                    throw refused;
                }
            }
        }
        throw Failures.nodeClosed();
    }

    @Override
    public Context context() {
        return context;
    }

    // The end.

    @Override
    public void close() {
        if (ProgressThread.isCurrent()) {
            stop();
            return;
        }
        // Registries first: whoever asks them must not be sent here any more.
        CloseSteps.runAll(discovery::stop, discovery::awaitEnd, this::stop);
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
                            "a node ends with the process and without its goodbyes: a callback or task on its progress thread called System.exit; call it on another thread");
                    return;
                }
            }
            for (ProgressLoop loop : loops) {
                // It has nothing left to do but to end; the last one has said so from its own thread.
                loop.thread().join(LOOK_NS / 1_000_000);
            }
        } catch (InterruptedException interrupted) {
            // The loops end all the same, only later than this.
            Thread.currentThread().interrupt();
        }
    }

    /** A callback that runs in two looks keeps its loop from ending. */
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
     * Whether the only threads left are those that wait inside {@code System.exit}. It returns to nobody, and where this close is a shutdown hook each would wait for
     * the other.
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

    boolean isStopping() {
        return loops.getFirst().isStopping();
    }

    void stop() {
        CloseSteps.runAll(discovery::stop, () -> CloseSteps.runEach(loops, ProgressLoop::stop));
    }

    /** A loop has ended; the last one closes the context. */
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

    void warnOfSlowClose(String what) {
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
    long closeLimitNs() {
        return 4 * settings.closeNs() + CLOSE_SLACK_NS;
    }

    @Override
    public void observe(NodeObserver newObserver) {
        Objects.requireNonNull(newObserver, "observer");
        observer = newObserver.equals(NodeObserver.NONE) ? null : newObserver;
    }

    // What the parts of the node ask.

    /** Null if nobody observes, which is all that an operation then looks at. */
    @Nullable NodeObserver observer() {
        return observer;
    }

    NodeDiscovery discovery() {
        return discovery;
    }

    NodeReceives receives() {
        return receives;
    }

    NodeSettings settings() {
        return settings;
    }

    @Nullable Executor executor() {
        return executor;
    }

    NativePool pool() {
        return pool;
    }

    /** Room for the copies that wait to be sent to one peer, or one set of peers. */
    ByteRoom newByteRoom() {
        return new ByteRoom(waitingBytes, settings.queueBytes() / ROOM_SHARE);
    }

    /** Room for the requests of one peer that are not answered. */
    ByteRoom newRequestByteRoom(long most) {
        return new ByteRoom(requestBytes, Math.min(most, Math.max(settings.queueBytes() / 2, settings.messageMax())));
    }

    List<ProgressLoop> loops() {
        return loops;
    }

    /** How long the calling thread may wait for room. */
    long patienceNs() {
        return settings.backPressure() == BackPressure.WAIT && !ProgressThread.isCurrent() ? settings.waitNs() : 0;
    }

    @Override
    public String toString() {
        return "node " + settings.name();
    }
}
