package io.fairlead.node.internal.engine;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Worker;
import io.fairlead.node.MemberWatch;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeObserver;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.Registration;
import io.fairlead.node.RequestInterceptor;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.WorkerThread;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.node.internal.discovery.NamedConnect;
import io.fairlead.node.internal.discovery.NodeDiscovery;
import io.fairlead.node.internal.discovery.NodeMemberWatch;
import io.fairlead.node.internal.discovery.NodeRegistration;
import io.fairlead.node.internal.errors.Arguments;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.listen.NodeListener;
import io.fairlead.node.internal.loop.LoopGroup;
import io.fairlead.node.internal.loop.NodeSettings;
import io.fairlead.node.internal.memory.ProgressThread;
import io.fairlead.node.internal.peer.NodePeers;
import io.fairlead.node.internal.receive.NodeReceives;
import io.fairlead.node.internal.request.NodeRequests;
import io.fairlead.node.internal.set.NodePeerSet;
import io.fairlead.spi.CloseSteps;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The engine behind {@link Node}: the loops of a context, and what callers reach through them. */
public final class NodeEngine implements Node {
    private final Context context;
    private final NodeSettings settings;
    private final LoopGroup loops;
    private final NodeReceives receives;
    private final NodeRequests requests;
    private final NodePeers peers;
    private final NodeDiscovery discovery;

    private NodeEngine(Context context, NodeSettings settings, @Nullable Executor executor) {
        this.context = context;
        this.settings = settings;
        this.loops = new LoopGroup(context, settings, executor, this::stop);
        this.receives = new NodeReceives(loops);
        this.requests = new NodeRequests(loops);
        this.peers = new NodePeers(this, loops, receives, requests);
        this.discovery = new NodeDiscovery(loops);
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
        try {
            node.loops.start(node.receives::on);
        } catch (RuntimeException failure) {
            node.close();
            throw failure;
        }
        return node;
    }

    // Connections.

    @Override
    public Listener listen(InetSocketAddress address, Consumer<Peer> accepted) {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(accepted, "accepted");
        return NodeListener.open(peers, loops.next(), address, accepted);
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
        return peers.connect(loops.next(), address, policy, reconnect);
    }

    @Override
    public CompletableFuture<Peer> connect(String name) {
        return connect(name, settings.policy(), ReconnectPolicy.NEVER);
    }

    @Override
    public CompletableFuture<Peer> connect(String name, PathPolicy policy, ReconnectPolicy reconnect) {
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(reconnect, "reconnect");
        return new NamedConnect(peers, discovery, loops.next(), ServiceName.parse(name), policy, reconnect).begin();
    }

    @Override
    public CompletableFuture<PeerSet> peers(String name, PeerSetOptions options) {
        Objects.requireNonNull(options, "options");
        return new NodePeerSet(peers, discovery, loops.next(), ServiceName.parse(name), options).open();
    }

    @Override
    public CompletableFuture<MemberWatch> watch(String name) {
        return new NodeMemberWatch(discovery, loops.next(), ServiceName.parse(name)).open();
    }

    @Override
    public MemberWatch follow(String name) {
        return new NodeMemberWatch(discovery, loops.next(), ServiceName.parse(name)).follow();
    }

    @Override
    public CompletableFuture<Registration> register(String name, Member member) {
        Arguments.reachable(member);
        return new NodeRegistration(discovery, loops.next(), ServiceName.parse(name), member).open();
    }

    @Override
    public WorkerThread workerThread() {
        return loops.next();
    }

    // Messages and requests.

    @Override
    public CompletableFuture<Message> receive(long tag) {
        return receives.receive(null, tag, Worker.FULL_TAG_MASK, settings.messageMax());
    }

    @Override
    public CompletableFuture<Message> receive(long tag, long tagMask, long maxLength) {
        return receives.receive(null, tag, tagMask, maxLength);
    }

    @Override
    public CompletableFuture<Message> receiveInto(MemorySegment buffer, long tag, long tagMask) {
        return receives.receiveInto(null, buffer, tag, tagMask);
    }

    @Override
    public Service serve(long tag, ServiceHandler handler, ServiceOptions options) {
        Arguments.tag(tag);
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(options, "options");
        return requests.serve(tag, handler, options);
    }

    @Override
    public void nameService(long tag, String name) {
        Arguments.tag(tag);
        requests.nameCalled(tag, ServiceOptions.DEFAULT.named(name).name());
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

    /** The context may close while it makes a region, and then throws another exception than a node does. */
    private MemoryRegion unlessClosed(Supplier<MemoryRegion> region) {
        if (!loops.isStopping()) {
            try {
                return region.get();
            } catch (IllegalStateException refused) {
                if (!loops.isStopping()) {
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

    @Override
    public void observe(NodeObserver observer) {
        Objects.requireNonNull(observer, "observer");
        loops.observer(observer.equals(NodeObserver.NONE) ? null : observer);
    }

    @Override
    public void intercept(RequestInterceptor interceptor) {
        Objects.requireNonNull(interceptor, "interceptor");
        loops.interceptor(interceptor.equals(RequestInterceptor.NONE) ? null : interceptor);
    }

    /** The loops, for tests. */
    LoopGroup loops() {
        return loops;
    }

    /** The receives, for tests. */
    NodeReceives receives() {
        return receives;
    }

    // The end.

    @Override
    public boolean drain(Duration timeout) {
        long limitNs = Arguments.timeoutNs(timeout);
        if (ProgressThread.isCurrent()) {
            throw new IllegalStateException(
                    "a progress thread cannot wait for its own answers; drain the node on another thread");
        }
        if (loops.isStopping()) {
            return true;
        }
        long startNs = System.nanoTime();
        // Registries first, so that they send no new peers here.
        discovery.deregister();
        requests.leave();
        try {
            boolean answered = loops.leave(startNs, limitNs);
            requests.left();
            return discovery.awaitDeregistered(startNs, limitNs) && answered;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        if (ProgressThread.isCurrent()) {
            stop();
            return;
        }
        if (requests.hasServed()) {
            boolean _ = drain(Duration.ofNanos(settings.closeNs()));
        }
        // Registries first, so that they send no new peers here.
        CloseSteps.runAll(discovery::stop, discovery::awaitEnd, this::stop);
        loops.awaitEnd();
    }

    private void stop() {
        CloseSteps.runAll(discovery::stop, loops::stop);
    }

    @Override
    public String toString() {
        return "node " + settings.name();
    }
}
