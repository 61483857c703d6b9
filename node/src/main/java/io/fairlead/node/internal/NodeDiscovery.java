package io.fairlead.node.internal;

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

/** What a node knows of services by name: the resolvers that there are, and those of its own that run. Thread-safe. */
final class NodeDiscovery {
    private static final Logger LOG = LoggerFactory.getLogger(NodeDiscovery.class);
    private static final long SLACK_NS = 1_000_000_000L;
    /** The artifacts that bring resolvers, for who lacks one. */
    private static final Map<String, String> ARTIFACTS = Map.of(
            "dns", "fairlead-discovery-dns",
            "zk", "fairlead-discovery-zookeeper",
            "etcd", "fairlead-discovery-etcd",
            "k8s", "fairlead-discovery-kubernetes");

    private final NodeEngine node;
    private final NodeSettings.Discovery settings;
    private final Set<Upkeep> running = ConcurrentHashMap.newKeySet();
    private final Set<NodePeerSet> sets = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    NodeDiscovery(NodeEngine node, NodeSettings.Discovery settings) {
        this.node = node;
        this.settings = settings;
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

    /** Makes what asks for the members of a service, to be {@linkplain #start started}. */
    Upkeep resolve(ServiceName name, Consumer<Resolution> found, Consumer<FairleadException> failed) {
        Semaphore wanted = new Semaphore(0);
        Resolver resolver = provider(name).resolver(name, context(wanted));
        return new Upkeep(this, name.toString(), wanted, new Asking(resolver, found), failed);
    }

    /** Makes what keeps a member registered, to be {@linkplain #start started}. */
    Upkeep register(ServiceName name, Member member, Runnable renewed, Consumer<FairleadException> failed) {
        Semaphore wanted = new Semaphore(0);
        Registrar registrar = provider(name).registrar(name, member, context(wanted));
        return new Upkeep(this, name.toString(), wanted, new Keeping(registrar, renewed), failed);
    }

    private DiscoveryContext context(Semaphore wanted) {
        return new DiscoveryContext(node.context().config(), settings.lease(), wanted::release);
    }

    void start(Upkeep upkeep) {
        running.add(upkeep);
        if (stopped || node.isStopping()) {
            running.remove(upkeep);
            throw Failures.nodeClosed();
        }
        try {
            upkeep.start();
        } catch (OutOfMemoryError noThread) {
            running.remove(upkeep);
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "cannot start a thread to find members: name=" + upkeep.subject() + ", cause: "
                            + noThread.getMessage() + "; raise the limit of threads (ulimit -u, TasksMax= for systemd)",
                    noThread);
        }
    }

    private record Asking(Resolver resolver, Consumer<Resolution> found) implements Upkeep.Task {
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

    private record Keeping(Registrar registrar, Runnable renewed) implements Upkeep.Task {
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
    }

    // What failures are called.

    static FairleadException noMember(String what, ServiceName name) {
        return new FairleadException(
                Reason.NOT_CONNECTED,
                Status.NOT_CONNECTED,
                what + " failed: status=NOT_CONNECTED, service=" + name
                        + ", members=0; start a member, and register it under this name");
    }

    FairleadException noAnswer(ServiceName name) {
        return new FairleadException(
                Reason.TIMED_OUT,
                "the members of a service were not found out in time: name=" + name + ", limit="
                        + firstAnswerNs() / 1_000_000
                        + " ms; see that the registry answers, or raise node.discovery-timeout");
    }

    // Limits.

    Context context() {
        return node.context();
    }

    Duration timeout() {
        return settings.timeout();
    }

    Duration refreshMin() {
        return settings.refreshMin();
    }

    /** How long a first answer may take: what a resolver is given, and as much for one that does not keep to it. */
    long firstAnswerNs() {
        return 2 * settings.timeout().toNanos() + SLACK_NS;
    }

    // The end.

    void opened(NodePeerSet set) {
        sets.add(set);
        if (stopped) {
            set.startClose();
        }
    }

    void closed(NodePeerSet set) {
        sets.remove(set);
    }

    void ended(Upkeep upkeep) {
        running.remove(upkeep);
    }

    /** Stops everything; does not wait. */
    void stop() {
        stopped = true;
        CloseSteps.runAll(
                () -> CloseSteps.runEach(sets, NodePeerSet::startClose),
                () -> CloseSteps.runEach(running, Upkeep::stop));
    }

    /** Waits until what was stopped has ended, so that registries know of it. */
    void awaitEnd() {
        running.forEach(this::awaitEnd);
    }

    void awaitEnd(Upkeep upkeep) {
        if (!ProgressThread.isCurrent() && !upkeep.awaitEnd(firstAnswerNs())) {
            try (LogScope _ = LogScope.of(context())) {
                LOG.warn(
                        "a resolver does not end, though it was interrupted; name={}, limit={} ms",
                        upkeep.subject(),
                        firstAnswerNs() / 1_000_000);
            }
        }
    }
}
