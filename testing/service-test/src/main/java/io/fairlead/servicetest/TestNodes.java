package io.fairlead.servicetest;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.discovery.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Nodes for a test of a service: one or more members of a service, and a caller that is connected to each. They are in one process and use the transports that
 * the test has on its path, over the loopback address. Members are registered in {@link MemoryRegistry}: one that closes leaves it as in production. Thread-safe.
 */
public final class TestNodes implements AutoCloseable {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final String service = "test-" + NAMES.incrementAndGet();
    private final List<Node> members = new ArrayList<>();
    private final List<Peer> connected = new ArrayList<>();
    private final Node caller;
    private final PeerSet peers;

    private TestNodes(int count, FairleadConfig config) {
        boolean started = false;
        List<Node> nodes = new ArrayList<>();
        try {
            MemoryRegistry.set(service, List.of());
            caller = Node.start(config.with(ConfigKeys.NODE_NAME, service + "-caller"));
            nodes.add(caller);
            for (int i = 0; i < count; i++) {
                String name = service + "-" + i;
                Node member = Node.start(config.with(ConfigKeys.NODE_NAME, name));
                nodes.add(member);
                members.add(member);
                Listener listener = member.listen("127.0.0.1:0", _ -> {});
                join(member.register(name(), Member.of(name, listener.address())));
                connected.add(join(caller.connect(listener.address())));
            }
            peers = join(caller.peers(name()));
            awaitPeers(count);
            started = true;
        } finally {
            if (!started) {
                nodes.forEach(Node::close);
                MemoryRegistry.forget(service);
            }
        }
    }

    /**
     * Starts one member and a caller.
     *
     * @return connected
     * @throws FairleadException as {@link Node#start(FairleadConfig)}, and if they do not connect within 30 s
     */
    public static TestNodes start() {
        return start(1);
    }

    /**
     * Starts several members and a caller.
     *
     * @param members how many, 1 and up
     * @return connected
     * @throws FairleadException as {@link #start()}
     */
    public static TestNodes start(int members) {
        return start(members, FairleadConfig.defaults());
    }

    /**
     * Starts several members and a caller, which have a configuration.
     *
     * @param members how many, 1 and up
     * @param config of each; {@code node.name} is set for each
     * @return connected
     * @throws FairleadException as {@link #start()}
     */
    public static TestNodes start(int members, FairleadConfig config) {
        if (members < 1) {
            throw new IllegalArgumentException("a service has a member: members=" + members + ", allowed 1 and up");
        }
        return new TestNodes(members, config);
    }

    /**
     * The first member.
     *
     * @return where the test serves
     */
    public Node service() {
        return service(0);
    }

    /**
     * A member.
     *
     * @param index from 0 up
     * @return where the test serves; closing it is what a restart begins with
     */
    public Node service(int index) {
        return members.get(index);
    }

    /**
     * The caller's node.
     *
     * @return connected to all members
     */
    public Node caller() {
        return caller;
    }

    /**
     * The first member as the caller sees it.
     *
     * @return connected, and not connected again if that ends
     */
    public Peer peer() {
        return peer(0);
    }

    /**
     * A member as the caller sees it.
     *
     * @param index from 0 up
     * @return connected, and not connected again if that ends
     */
    public Peer peer(int index) {
        return connected.get(index);
    }

    /**
     * The members as the caller's set, which has connections of its own.
     *
     * @return connected to each when the nodes have started
     */
    public PeerSet peers() {
        return peers;
    }

    /**
     * The members' name, for sets and registrations of the test's own.
     *
     * @return {@code memory:} and a name that no other object has
     */
    public String name() {
        return "memory:" + service;
    }

    private void awaitPeers(int count) {
        long startNs = System.nanoTime();
        while (peers.peers().size() < count) {
            if (System.nanoTime() - startNs > LIMIT.toNanos()) {
                throw new FairleadException(
                        FairleadException.Reason.TIMED_OUT,
                        "members do not connect: connected=" + peers.peers().size() + ", members=" + count + ", limit="
                                + LIMIT.toSeconds() + " s; see the log");
            }
            Thread.yield();
        }
    }

    private static <T> T join(CompletableFuture<T> future) {
        try {
            return future.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    /** Closes the caller, the members that are not closed yet, and the registry's entry. Idempotent. */
    @Override
    public void close() {
        caller.close();
        members.forEach(Node::close);
        MemoryRegistry.forget(service);
    }
}
