package io.fairlead.testkit.layers;

import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetObserver;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.ServiceRequest;
import io.fairlead.node.discovery.Member;
import io.fairlead.servicetest.MemoryRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;

/** What the suites about requests to sets of peers share: members that serve under a name, and a set of them. */
abstract class SetRequestCases extends RequestCases {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final Duration SOON = Duration.ofMillis(10);

    final String service = "desk-" + NAMES.incrementAndGet();
    final String name = "memory:" + service;
    private final BlockingQueue<String> news = new LinkedBlockingQueue<>();

    SetRequestCases() {}

    /** A node that serves, and the peers that have come to it. */
    record Server(Node node, Member member, BlockingQueue<Peer> accepted, BlockingQueue<ServiceRequest> held) {
        long count(RequestCounter counter) {
            return RequestStatistics.of(node.context()).value(counter);
        }
    }

    @AfterEach
    final void forgetService() {
        MemoryRegistry.forget(service);
    }

    /** Replies with its own name. */
    final Server answering(String serverName) {
        return serving(serverName, 0, request -> request.reply(bytes(serverName)), ServiceOptions.DEFAULT);
    }

    /** Holds each request, for the case to answer. */
    final Server holding(String serverName) {
        BlockingQueue<ServiceRequest> held = new LinkedBlockingQueue<>();
        return serving(serverName, 0, held::add, ServiceOptions.DEFAULT, held);
    }

    final Server serving(String serverName, int priority, ServiceHandler handler, ServiceOptions options) {
        return serving(serverName, priority, handler, options, new LinkedBlockingQueue<>());
    }

    final Server serving(
            String serverName,
            int priority,
            ServiceHandler handler,
            ServiceOptions options,
            BlockingQueue<ServiceRequest> held) {
        Node node = startNode(serverName);
        node.serve(TAG, handler, options);
        BlockingQueue<Peer> accepted = new LinkedBlockingQueue<>();
        Listener listener = node.listen(loopback(), accepted::add);
        return new Server(node, new Member(serverName, listener.address(), priority), accepted, held);
    }

    final void members(Server... servers) {
        MemoryRegistry.set(
                service, List.of(servers).stream().map(Server::member).toList());
    }

    /** A set that knows these members and is connected to each. */
    final PeerSet open(Server... servers) {
        return open(PeerSetOptions.defaults(), servers);
    }

    final PeerSet open(PeerSetOptions options, Server... servers) {
        members(servers);
        PeerSet set = get(clientNode().peers(name, observed(options)));
        awaitNews(List.of(servers).stream()
                .map(server -> "connected " + server.member().name())
                .toArray(String[]::new));
        return set;
    }

    private PeerSetOptions observed(PeerSetOptions options) {
        return options.withPauses(SOON, SOON).withObserver(new PeerSetObserver() {
            @Override
            public void connected(Member member, Peer peer) {
                news.add("connected " + member.name());
            }

            @Override
            public void lost(Member member, FairleadException cause) {
                news.add("lost " + member.name());
            }
        });
    }

    final void awaitNews(String... wanted) {
        List<String> missing = new ArrayList<>(List.of(wanted));
        while (!missing.isEmpty()) {
            missing.remove(take(news, "news " + missing));
        }
    }

    /** The set's peer of a member. */
    static Peer peerOf(PeerSet set, Server server) {
        return set.peers().stream()
                .filter(peer -> peer.name().equals(server.member().name()))
                .findFirst()
                .orElseThrow();
    }

    final void assertNothingLeft(Server... servers) {
        assertNothingLeft(clientNode());
        for (Server server : servers) {
            assertNothingLeft(server.node());
        }
    }
}
