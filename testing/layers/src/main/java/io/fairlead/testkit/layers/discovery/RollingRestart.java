package io.fairlead.testkit.layers.discovery;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two members of a service that are closed and started again, one after the other, at the same addresses, while callers ask a set of them without a pause.
 */
public final class RollingRestart {
    private static final Logger LOG = LoggerFactory.getLogger(RollingRestart.class);
    private static final long TAG = 11;
    private static final int CALLERS = 4;
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SOON = Duration.ofMillis(10);
    private static final long WORK_NS = 200_000L;
    private static final long LIMIT_NS = Duration.ofMinutes(2).toNanos();

    /** How a registry is told what a member does. */
    public interface Registry {
        /**
         * A member accepts connections.
         *
         * @param index 0 or 1
         * @param node the member
         * @param address where it listens
         * @throws Exception ends the run
         */
        default void started(int index, Node node, InetSocketAddress address) throws Exception {}

        /**
         * A member is about to close.
         *
         * @param index 0 or 1
         * @param address where it listens
         * @throws Exception ends the run
         */
        default void closing(int index, InetSocketAddress address) throws Exception {}
    }

    private final FairleadConfig config;
    private final Registry registry;
    private final Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private final Node[] members = new Node[2];
    private final InetSocketAddress[] addresses;

    private RollingRestart(FairleadConfig base, Registry registry, InetSocketAddress... addresses) {
        this.config = base.with(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(30))
                .with(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(1))
                .with(NodeKeys.DISCOVERY_REFRESH_MIN, SOON);
        this.registry = registry;
        this.addresses = addresses;
    }

    /**
     * Restarts members in turns.
     *
     * @param restarts how often, of both together
     * @param config what members and callers use
     * @param registry gets what members do
     * @param first where the first listens; port 0 takes a free one
     * @param second where the second listens
     * @param name the name that callers use, of the addresses that the members then have
     * @return requests that have failed, of at least one for each restart and caller; empty if none has
     */
    public static List<Throwable> run(
            int restarts,
            FairleadConfig config,
            Registry registry,
            InetSocketAddress first,
            InetSocketAddress second,
            Function<List<InetSocketAddress>, String> name) {
        try {
            return new RollingRestart(config, registry, first, second).run(restarts, name);
        } catch (Exception thrown) {
            throw new AssertionError("the restarts ended: " + thrown, thrown);
        }
    }

    private List<Throwable> run(int restarts, Function<List<InetSocketAddress>, String> name) throws Exception {
        List<Thread> callers = new ArrayList<>();
        try (Node client = Node.start(config.with(ConfigKeys.NODE_NAME, "callers"))) {
            start(0);
            start(1);
            PeerSet set = client.peers(
                            name.apply(List.of(addresses)),
                            PeerSetOptions.defaults().withPauses(SOON, SOON))
                    .get(1, TimeUnit.MINUTES);
            await(() -> set.peers().size() == 2, "both members");
            for (int i = 0; i < CALLERS; i++) {
                callers.add(Thread.ofVirtual().start(() -> call(set)));
            }
            for (int i = 0; i < restarts && failed.isEmpty(); i++) {
                int index = i % 2;
                int before = answered.get();
                registry.closing(index, addresses[index]);
                members[index].close();
                start(index);
                await(() -> set.peers().size() == 2, "the member that has restarted");
                await(() -> answered.get() - before > CALLERS, "answers");
            }
            over.set(true);
            for (Thread caller : callers) {
                caller.join();
            }
        } finally {
            over.set(true);
            for (Node member : members) {
                if (member != null) {
                    member.close();
                }
            }
        }
        LOG.info("restarts={}, answered={} requests, failed={}", restarts, answered.get(), failed.size());
        return List.copyOf(failed);
    }

    private void start(int index) throws Exception {
        Node node = Node.start(config.with(ConfigKeys.NODE_NAME, "member-" + index));
        members[index] = node;
        node.serve(TAG, request -> {
            LockSupport.parkNanos(WORK_NS);
            request.reply(request.bytes());
        });
        Listener listener = node.listen(addresses[index], (Peer _) -> {});
        addresses[index] = listener.address();
        registry.started(index, node, addresses[index]);
    }

    private void call(PeerSet set) {
        while (!over.get()) {
            try (Message _ = set.request(new byte[32], TAG, LONG).get(2, TimeUnit.MINUTES)) {
                answered.incrementAndGet();
            } catch (Exception thrown) {
                failed.add(thrown);
            }
        }
    }

    private void await(BooleanSupplier condition, String what) throws InterruptedException {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean() && failed.isEmpty()) {
            if (System.nanoTime() - startNs > LIMIT_NS) {
                throw new AssertionError("waited " + LIMIT_NS / 1_000_000_000L + " s for " + what);
            }
            Thread.sleep(1);
        }
    }
}
