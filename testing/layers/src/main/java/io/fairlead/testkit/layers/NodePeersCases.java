package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetObserver;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.discovery.Member;
import io.fairlead.servicetest.MemoryRegistry;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;

/** What the suites of names share: a service in memory, its members, and the events of a set. */
abstract class NodePeersCases extends NodeCases {
    static final AtomicInteger NAMES = new AtomicInteger();
    static final Duration SOON = Duration.ofMillis(10);
    final String service = "feed-" + NAMES.incrementAndGet();
    final String name = "memory:" + service;
    final BlockingQueue<String> news = new LinkedBlockingQueue<>();

    /** A node that listens, and the peers that have come to it. */
    record Server(Node node, Listener listener, Member member, BlockingQueue<Peer> accepted) {}

    @AfterEach
    final void forgetService() {
        MemoryRegistry.forget(service);
    }

    final Server serve(String serverName) {
        return serve(serverName, loopback(), 0);
    }

    final Server serve(String serverName, InetSocketAddress at, int priority) {
        Node node = startNode(serverName);
        BlockingQueue<Peer> accepted = new LinkedBlockingQueue<>();
        Listener listener = node.listen(at, accepted::add);
        return new Server(node, listener, new Member(serverName, listener.address(), priority), accepted);
    }

    final void members(Server... servers) {
        MemoryRegistry.set(
                service, List.of(servers).stream().map(Server::member).toList());
    }

    final PeerSetOptions options() {
        return PeerSetOptions.defaults().withPauses(SOON, SOON).withObserver(new PeerSetObserver() {
            @Override
            public void changed(List<Member> now) {
                news.add("changed " + now.stream().map(Member::name).toList());
            }

            @Override
            public void connected(Member member, Peer peer) {
                news.add("connected " + member.name());
            }

            @Override
            public void lost(Member member, FairleadException cause) {
                news.add("lost " + member.name());
            }

            @Override
            public void unresolved(FairleadException cause) {
                news.add("unresolved " + cause.reason());
            }
        });
    }

    final void awaitNews(String... wanted) {
        List<String> missing = new ArrayList<>(List.of(wanted));
        List<String> seen = new ArrayList<>();
        while (!missing.isEmpty()) {
            String next = take(news, "news " + missing + ", seen " + seen);
            seen.add(next);
            missing.remove(next);
        }
    }

    final PeerSet open(PeerSetOptions options) {
        return get(clientNode().peers(name, options));
    }

    /** Who has received how many of so many messages. */
    static Map<String, Integer> receive(int count, long tag, Server... servers) {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        for (Server server : servers) {
            for (int i = 0; i < count; i++) {
                CompletableFuture<Void> _ = server.node()
                        .receive(tag)
                        .thenAccept(_ -> received.add(server.member().name()));
            }
        }
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < count; i++) {
            counts.merge(take(received, "message " + i), 1, Integer::sum);
        }
        return counts;
    }

    final void awaitNoResolver() {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().endsWith(name))) {
            assertTrue(System.nanoTime() < deadlineNs, "the resolver's thread has not ended");
            LockSupport.parkNanos(1_000_000);
        }
    }
}
