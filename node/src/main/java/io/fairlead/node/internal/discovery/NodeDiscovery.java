package io.fairlead.node.internal.discovery;

import io.fairlead.Context;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.internal.log.LogScope;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Registrar;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ResolverProvider;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.loop.LoopGroup;
import io.fairlead.node.internal.loop.NodeSettings;
import io.fairlead.node.internal.memory.ProgressThread;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.ServiceLoaders;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Services by name: the installed resolvers, and the resolvers that run for this node. Thread-safe. */
public final class NodeDiscovery {
    private static final Logger LOG = LoggerFactory.getLogger(NodeDiscovery.class);
    private static final long SLACK_NS = 1_000_000_000L;
    /** The artifacts that have resolvers, for the message when one is missing. */
    private static final Map<String, String> ARTIFACTS = Map.of(
            "dns", "fairlead-discovery-dns",
            "zk", "fairlead-discovery-zookeeper",
            "etcd", "fairlead-discovery-etcd",
            "k8s", "fairlead-discovery-kubernetes");

    private final LoopGroup group;
    private final NodeSettings.Discovery settings;
    private final Set<Poller> running = ConcurrentHashMap.newKeySet();
    private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    public NodeDiscovery(LoopGroup group) {
        this.group = group;
        this.settings = group.settings().discovery();
    }

    /** Something that ends with the node's discovery, such as a set of peers. */
    public interface Follower {
        /** Closes without waiting. */
        void startClose();
    }

    // The resolvers that there are.

    private static ResolverProvider provider(ServiceName name) {
        Map<String, ResolverProvider> found = new TreeMap<>();
        ServiceLoaders.all(ResolverProvider.class, from -> ServiceLoader.load(ResolverProvider.class, from))
                .forEach(provider -> {
                    ResolverProvider other = found.putIfAbsent(provider.scheme(), provider);
                    if (other != null) {
                        throw new FairleadException(
                                Reason.CONFIGURATION,
                                "two resolvers for one scheme: scheme=" + provider.scheme() + ", classes="
                                        + other.getClass().getName() + " and "
                                        + provider.getClass().getName() + "; take one of them off the path");
                    }
                });
        ResolverProvider provider = found.get(name.scheme());
        if (provider == null) {
            String artifact = ARTIFACTS.get(name.scheme());
            throw new FairleadException(
                    Reason.UNSUPPORTED,
                    "no resolver for this scheme: name=" + name + ", known=" + String.join(", ", found.keySet()) + "; "
                            + (artifact == null ? "use one of these" : "add the artifact " + artifact));
        }
        return provider;
    }

    /** Creates what queries the members of a service, to be {@linkplain #start started}. */
    public Poller resolve(ServiceName name, Consumer<Resolution> found, Consumer<FairleadException> failed) {
        Semaphore wanted = new Semaphore(0);
        Resolver resolver = provider(name).resolver(name, context(wanted));
        return new Poller(this, name.toString(), wanted, new Asking(resolver, found), failed);
    }

    /** Creates what keeps a member registered, to be {@linkplain #start started}. */
    Poller register(ServiceName name, Member member, Runnable renewed, Consumer<FairleadException> failed) {
        Semaphore wanted = new Semaphore(0);
        Registrar registrar = provider(name).registrar(name, member, context(wanted));
        return new Poller(this, name.toString(), wanted, new Keeping(registrar, renewed), failed);
    }

    private DiscoveryContext context(Semaphore wanted) {
        return new DiscoveryContext(group.context().config(), settings.lease(), wanted::release);
    }

    public void start(Poller poller) {
        running.add(poller);
        if (stopped || group.isStopping()) {
            running.remove(poller);
            throw Failures.nodeClosed();
        }
        try {
            poller.start();
        } catch (OutOfMemoryError noThread) {
            running.remove(poller);
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "cannot start a thread to find members: name=" + poller.subject() + ", cause: "
                            + noThread.getMessage() + "; raise the limit of threads (ulimit -u, TasksMax= for systemd)",
                    noThread);
        }
    }

    private record Asking(Resolver resolver, Consumer<Resolution> found) implements Poller.Task {
        @Override
        public Duration run(Duration timeout) throws InterruptedException {
            Resolution resolution = resolver.resolve(timeout);
            found.accept(resolution);
            return resolution.validFor();
        }

        @Override
        public void close() {
            resolver.close();
        }
    }

    private record Keeping(Registrar registrar, Runnable renewed) implements Poller.Task {
        @Override
        public Duration run(Duration timeout) throws InterruptedException {
            Duration next = registrar.renew(timeout);
            renewed.run();
            return next;
        }

        @Override
        public void close() {
            registrar.close();
        }

        @Override
        public boolean keeps() {
            return true;
        }
    }

    // What failures are called.

    static FairleadException noMember(String what, ServiceName name) {
        return new FairleadException(
                Reason.NOT_CONNECTED,
                Status.NOT_CONNECTED,
                what + " failed: status=NOT_CONNECTED, service=" + name
                        + ", members=0; start a member, and register it under this name");
    }

    public FairleadException noAnswer(ServiceName name) {
        return new FairleadException(
                Reason.TIMED_OUT,
                "the members of a service were not found out in time: name=" + name + ", limit="
                        + firstAnswerNs() / 1_000_000
                        + " ms; see that the registry answers, or raise node.discovery-timeout");
    }

    // Limits.

    Context context() {
        return group.context();
    }

    Duration timeout() {
        return settings.timeout();
    }

    Duration refreshMin() {
        return settings.refreshMin();
    }

    /** How long a first answer may take: the time-out of a resolver, doubled for one that exceeds it. */
    public long firstAnswerNs() {
        return 2 * settings.timeout().toNanos() + SLACK_NS;
    }

    // The end.

    public void opened(Follower follower) {
        followers.add(follower);
        if (stopped) {
            follower.startClose();
        }
    }

    public void closed(Follower follower) {
        followers.remove(follower);
    }

    void ended(Poller poller) {
        running.remove(poller);
    }

    /** Removes this node from all registries; does not wait. */
    public void deregister() {
        CloseSteps.runEach(running.stream().filter(Poller::keeps).toList(), Poller::stop);
    }

    /** Waits until registries know that. Returns false at the limit. */
    public boolean awaitDeregistered(long startNs, long limitNs) {
        return running.stream()
                .filter(Poller::keeps)
                .allMatch(poller -> poller.awaitEnd(Math.max(0, startNs + limitNs - System.nanoTime())));
    }

    /** Stops everything; does not wait. */
    public void stop() {
        stopped = true;
        CloseSteps.runAll(
                () -> CloseSteps.runEach(followers, Follower::startClose),
                () -> CloseSteps.runEach(running, Poller::stop));
    }

    /** Waits until what was stopped has ended, so that registries know of it. */
    public void awaitEnd() {
        running.forEach(this::awaitEnd);
    }

    public void awaitEnd(Poller poller) {
        if (!ProgressThread.isCurrent() && !poller.awaitEnd(firstAnswerNs())) {
            try (LogScope _ = LogScope.of(context())) {
                LOG.warn(
                        "a resolver does not end, though it was interrupted; name={}, limit={} ms",
                        poller.subject(),
                        firstAnswerNs() / 1_000_000);
            }
        }
    }
}
