package io.fairlead.node.internal.set;

import io.fairlead.FairleadException;
import io.fairlead.ReconnectPolicy;
import io.fairlead.internal.log.LogScope;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetObserver;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestInterceptor;
import io.fairlead.node.RequestOptions;
import io.fairlead.node.RetryPolicy;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.node.internal.discovery.NodeDiscovery;
import io.fairlead.node.internal.discovery.Poller;
import io.fairlead.node.internal.errors.Arguments;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.loop.LoopGroup;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.NodeFuture;
import io.fairlead.node.internal.loop.NodeSettings;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.memory.ByteLimit;
import io.fairlead.node.internal.memory.Memory;
import io.fairlead.node.internal.memory.ProgressThread;
import io.fairlead.node.internal.peer.ConnectFuture;
import io.fairlead.node.internal.peer.NodePeer;
import io.fairlead.node.internal.peer.NodePeers;
import io.fairlead.node.internal.request.PeerRequests;
import io.fairlead.node.internal.request.RequestScope;
import io.fairlead.observation.MessageContext;
import io.fairlead.spi.CloseSteps;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The peers of a service. One loop, its home, owns the members: answers of the resolver, ends of connections and time-outs are handled there.
 * Operations are called on any thread and read what the home has published.
 */
public final class NodePeerSet implements PeerSet, NodeDiscovery.Follower {
    private static final Logger LOG = LoggerFactory.getLogger(NodePeerSet.class);

    private final NodePeers peers;
    private final LoopGroup group;
    private final NodeDiscovery discovery;
    private final ProgressLoop home;
    private final ServiceName name;
    private final PeerSetOptions options;
    private final SetFailures failures;
    private final WaitingCalls waiting;
    private final ByteLimit byteLimit;
    /** What further attempts may cost; null without a policy for them. */
    private final @Nullable RetryBudget budget;

    /** The connected members of the best priority. */
    private final ReadyMembers ready;

    private final AtomicBoolean closed = new AtomicBoolean();
    private final NodeFuture<PeerSet> opened = new NodeFuture<>();

    private volatile List<Member> found = List.of();
    private volatile @Nullable FairleadException failure;
    private volatile @Nullable Poller poller;

    // Used by the home's thread.
    private final Map<InetSocketAddress, SetMember> members = new LinkedHashMap<>();
    private boolean resolved;
    private boolean settled;
    private int left;

    public NodePeerSet(
            NodePeers peers, NodeDiscovery discovery, ProgressLoop home, ServiceName name, PeerSetOptions options) {
        this.peers = peers;
        this.group = peers.group();
        this.discovery = discovery;
        this.home = home;
        this.name = name;
        this.options = options;
        this.settled = options.opensAtOnce();
        RetryPolicy retries = options.retries();
        this.budget = retries.attempts() > 1 ? new RetryBudget(retries.budgetPercent()) : null;
        this.ready = new ReadyMembers(options);
        this.failures = new SetFailures(name);
        this.waiting = new WaitingCalls(home, group.settings().queueMax());
        this.byteLimit = group.newByteLimit();
    }

    /** Begins to resolve. The future completes when a member is connected, or all have been tried. */
    public CompletableFuture<PeerSet> open() {
        discovery.opened(this);
        try {
            Poller asking = discovery.resolve(
                    name, answer -> onHome(() -> resolved(answer)), cause -> onHome(() -> unresolved(cause)));
            poller = asking;
            discovery.start(asking);
        } catch (RuntimeException refused) {
            discovery.closed(this);
            if (refused instanceof IllegalArgumentException) {
                throw refused;
            }
            opened.completeExceptionally(refused);
            return opened;
        }
        if (options.opensAtOnce()) {
            opened.complete(this);
        } else {
            onHome(() -> home.timers().after(discovery.firstAnswerNs(), () -> failOpening(discovery.noAnswer(name))));
        }
        return opened;
    }

    private void onHome(Runnable command) {
        home.execute(new LoopTask.Action(_ -> command.run()));
    }

    // On the home's thread: the members.

    private void resolved(Resolution answer) {
        if (closed.get()) {
            return;
        }
        failure = null;
        Map<InetSocketAddress, Member> all = new LinkedHashMap<>();
        answer.members().forEach(member -> all.putIfAbsent(member.address(), member));
        Map<InetSocketAddress, Member> now = chosen(all);
        List<Member> list = List.copyOf(now.values());
        // The same members in another order are no change.
        boolean changed = !resolved || !Set.copyOf(list).equals(Set.copyOf(found));
        resolved = true;
        if (changed) {
            found = list;
            reportChange(list, all.size() - now.size());
            for (SetMember gone : List.copyOf(members.values())) {
                if (!now.containsKey(gone.member().address())) {
                    members.remove(gone.member().address());
                    gone.leave(home, group.settings().closeNs());
                }
            }
            now.forEach(this::keep);
            refresh();
        }
        completeOpened();
    }

    /**
     * The members to connect to, if there are more than the set may have. Members of a better priority come first, and among these the ones in
     * use, because a registry may answer in another order each time.
     */
    private Map<InetSocketAddress, Member> chosen(Map<InetSocketAddress, Member> all) {
        if (all.size() <= options.membersMax()) {
            return all;
        }
        Map<InetSocketAddress, Member> now = new LinkedHashMap<>();
        all.values().stream()
                .sorted(Comparator.comparingInt(Member::priority)
                        .thenComparingInt(member -> isInUse(member.address()) ? 0 : 1))
                .limit(options.membersMax())
                .forEach(member -> now.put(member.address(), member));
        return now;
    }

    /** Whether it is connected or being tried for the first time. One that failed is replaced by another. */
    private boolean isInUse(InetSocketAddress address) {
        SetMember known = members.get(address);
        return known != null && (known.peer() != null || !known.tried);
    }

    private void reportChange(List<Member> list, int more) {
        try (LogScope _ = LogScope.of(group.context())) {
            LOG.info("members of a service: name={}, count={}, members={}", name, list.size(), list);
            if (more > 0 && more != left) {
                LOG.warn(
                        "a service has more members than the set connects to: name={}, left out={}, limit={}, remedy: withMembersMax",
                        name,
                        more,
                        options.membersMax());
            }
        }
        left = more;
        observe(observer -> observer.changed(list));
    }

    private void keep(InetSocketAddress address, Member member) {
        SetMember known = members.get(address);
        if (known != null) {
            known.rename(member);
            return;
        }
        SetMember added = new SetMember(this, member);
        members.put(address, added);
        connect(added);
    }

    private void unresolved(FairleadException cause) {
        if (closed.get()) {
            return;
        }
        failure = cause;
        if (resolved || settled) {
            observe(observer -> observer.unresolved(cause));
        } else {
            failOpening(cause);
        }
    }

    private void failOpening(FairleadException cause) {
        if (!resolved && !settled) {
            settled = true;
            startClose();
            home.deliver(() -> opened.completeExceptionally(cause));
        }
    }

    private void completeOpened() {
        if (settled || (ready.isEmpty() && members.values().stream().anyMatch(member -> !member.tried))) {
            return;
        }
        settled = true;
        home.deliver(() -> {
            if (!opened.complete(this)) {
                // The caller has given up, and nothing else refers to the set.
                startClose();
            }
        });
    }

    // On the home's thread: their connections.

    private void connect(SetMember member) {
        member.timer = null;
        ConnectFuture attempt = peers.connect(
                group.leastLoaded(),
                member.member().address(),
                options.path().orElse(group.settings().policy()),
                ReconnectPolicy.NEVER);
        member.attempt = attempt;
        CompletableFuture<Peer> _ = attempt.whenComplete((peer, cause) -> onHome(() -> {
            member.attempt = null;
            member.tried = true;
            if (cause == null) {
                connected(member, attempt.peer());
            } else if (cause instanceof FairleadException known && isMember(member)) {
                failed(member, known);
            }
            completeOpened();
        }));
    }

    /** It may have been removed, and another member may have its address. */
    private boolean isMember(SetMember member) {
        return !closed.get() && member.equals(members.get(member.member().address()));
    }

    private void connected(SetMember member, NodePeer peer) {
        if (!isMember(member)) {
            peer.close();
            return;
        }
        member.connected(peer);
        observe(observer -> observer.connected(member.member(), peer));
        peer.onClosed(cause ->
                onHome(() -> lost(member, peer, cause.orElseGet(() -> failures.disconnected(member.member())))));
        refresh();
    }

    private void lost(SetMember member, NodePeer peer, FairleadException cause) {
        if (member.tryLose(peer, cause) && isMember(member)) {
            refresh();
            failed(member, cause);
        }
    }

    private void failed(SetMember member, FairleadException cause) {
        member.cause = cause;
        if (member.failures == 0) {
            // A member that restarts disconnects first. Attempts that fail have lines of their own.
            Level level = cause.reason() == FairleadException.Reason.CLOSED ? Level.INFO : Level.WARN;
            try (LogScope _ = LogScope.of(group.context())) {
                LOG.atLevel(level)
                        .log(
                                "member is not connected, and is tried again: service={}, member={}, cause: {}",
                                name,
                                member.member(),
                                cause.getMessage());
            }
        }
        long pauseNs = options.reconnect()
                .shortenedPause(member.failures++, ThreadLocalRandom.current())
                .toNanos();
        observe(observer -> observer.lost(member.member(), cause));
        member.timer = home.timers().after(pauseNs, () -> connect(member));
    }

    private void refresh() {
        ready.publish(members.values());
        if (!ready.isEmpty() && !waiting.isEmpty()) {
            waiting.resume();
        }
    }

    private void observe(Consumer<PeerSetObserver> news) {
        home.deliver(() -> news.accept(options.observer()));
    }

    // Operations, from any thread.

    @Override
    public CompletableFuture<Void> send(MemorySegment message, long tag) {
        Arguments.tag(tag);
        return begin(new SetSend(this, Memory.source(message, home.thread()), tag));
    }

    @Override
    public CompletableFuture<Void> sendSynchronous(MemorySegment message, long tag) {
        Arguments.tag(tag);
        return begin(new SetSend.Synchronous(this, Memory.source(message, home.thread()), tag));
    }

    private CompletableFuture<Void> begin(SetSend send) {
        try {
            return send.tryStage(byteLimit, group.patienceNs())
                    ? send.begin()
                    : CompletableFuture.failedFuture(Failures.tooManyBytes(
                            send.describe(), "service=" + name, byteLimit.held(), byteLimit.max()));
        } catch (FairleadException noMemory) {
            return CompletableFuture.failedFuture(noMemory);
        }
    }

    @Override
    public CompletableFuture<Message> request(MemorySegment message, long tag, Duration deadline) {
        return request(message, tag, new RequestOptions(deadline, false, MessageContext.EMPTY, false));
    }

    @Override
    public CompletableFuture<Message> request(MemorySegment message, long tag, RequestOptions options) {
        Arguments.tag(tag);
        RequestInterceptor interceptor = group.interceptor();
        if (interceptor == null) {
            return begin(message, tag, options);
        }
        RequestOptions intercepted;
        try {
            intercepted = RequestScope.intercepted(interceptor, Optional.empty(), tag, options);
        } catch (RequestException refused) {
            Memory.requireAlive(message);
            return CompletableFuture.failedFuture(refused);
        }
        return begin(message, tag, intercepted);
    }

    private CompletableFuture<Message> begin(MemorySegment message, long tag, RequestOptions how) {
        long timeNs = RequestScope.limit(PeerRequests.deadlineNs(how.deadline()));
        SetRequest request = new SetRequest(this, message, tag, timeNs, how);
        if (request.tryHold(message, byteLimit, group.patienceNs())) {
            return RequestScope.inherit(
                    budget == null ? request.begin() : new RetriedRequest(request, budget, timeNs).begin());
        }
        request.fail(Failures.tooManyBytes(request.describe(), "service=" + name, byteLimit.held(), byteLimit.max()));
        return request;
    }

    /** A member has answered a request. */
    void answered(SetMember member) {
        ready.countAnswer(member);
    }

    /** A request has failed at a member. */
    void failedRequest(SetMember member) {
        if (ready.countFailure(member)) {
            try (LogScope _ = LogScope.of(group.context())) {
                LOG.warn(
                        "member gets no requests for a while: service={}, member={}, failed={}, time={} ms",
                        name,
                        member.member(),
                        options.ejectionFailures(),
                        options.ejectionTime().toMillis());
            }
        }
    }

    /** A member that is connected and not among those; null if there is none. */
    @Nullable SetMember pick(List<SetMember> besides) {
        return ready.pick(besides);
    }

    /** Why nothing more can be called; null while it can. */
    @Nullable FairleadException end() {
        if (group.isStopping()) {
            return Failures.nodeClosed();
        }
        return closed.get() ? failures.closed() : null;
    }

    /** Why no member takes an operation. */
    SetFailures.Shortage shortage(boolean full) {
        return SetFailures.shortage(found, ready.size(), failure, full);
    }

    @Override
    public Optional<Peer> pick() {
        SetMember member = pick(List.of());
        return member == null ? Optional.empty() : Optional.ofNullable(member.usable());
    }

    @Override
    public List<Peer> peers() {
        return ready.peers();
    }

    @Override
    public List<Member> members() {
        return found;
    }

    @Override
    public Optional<FairleadException> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public Node node() {
        return peers.node();
    }

    @Override
    public ServiceName name() {
        return name;
    }

    // What its calls use.

    LoopGroup group() {
        return group;
    }

    NodeSettings settings() {
        return group.settings();
    }

    RetryPolicy retries() {
        return options.retries();
    }

    ProgressLoop home() {
        return home;
    }

    SetFailures failures() {
        return failures;
    }

    WaitingCalls waiting() {
        return waiting;
    }

    // The end.

    @Override
    public void startClose() {
        if (closed.compareAndSet(false, true)) {
            discovery.closed(this);
            stopPoller();
            home.execute(new Closing());
        }
    }

    private void stopPoller() {
        Poller running = poller;
        if (running != null) {
            running.stop();
        }
    }

    /** Closes the connections to the members, unless the loop has ended. */
    private final class Closing implements LoopTask {
        @Override
        public void accept(ProgressLoop loop) {
            stopPoller();
            waiting.failAll(group.isStopping() ? Failures.nodeClosed() : failures.closed());
            if (!settled) {
                settled = true;
                loop.deliver(() -> opened.completeExceptionally(Objects.requireNonNullElse(end(), failures.closed())));
            }
            ready.publish(List.of());
            members.values().forEach(member -> member.leave(loop, 0));
        }

        @Override
        public void refuse(FairleadException cause) {
            waiting.failAll(cause);
            opened.completeExceptionally(cause);
        }
    }

    @Override
    public void close() {
        List<Peer> connected = peers();
        startClose();
        Poller running = poller;
        if (running != null) {
            discovery.awaitEnd(running);
        }
        if (!ProgressThread.isCurrent()) {
            CloseSteps.runEach(connected, Peer::close);
        }
    }

    @Override
    public String toString() {
        return "peers of " + Objects.toString(name);
    }
}
