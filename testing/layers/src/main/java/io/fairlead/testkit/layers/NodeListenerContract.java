package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerKey;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.internal.RawPeer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** How a node spreads the peers of one listener over its progress threads. */
public class NodeListenerContract extends NodeCases {
    private static final int MANY = 100;
    private static final int THREADS = 3;

    private record Accepted(Peer peer, Thread thread) {}

    private final BlockingQueue<Accepted> accepted = new LinkedBlockingQueue<>();

    /** Creates the suite. */
    protected NodeListenerContract() {}

    @Test
    @Semantics("O-84")
    void shouldSpreadThePeersOfAListenerOverTheThreads() {
        Listener listener = listen(spreading());
        List<CompletableFuture<Peer>> connecting = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            connecting.add(clientNode().connect(listener.address()));
        }

        Map<Thread, Integer> counts = new HashMap<>();
        for (int i = 0; i < MANY; i++) {
            counts.merge(next().thread(), 1, Integer::sum);
        }

        connecting.forEach(NodeCases::get);
        assertEquals(List.of(33, 33, 34), counts.values().stream().sorted().toList());
    }

    @Test
    @Semantics("O-84")
    void shouldGiveANewPeerToTheThreadThatHasTheFewest() {
        Listener listener = listen(spreading());
        Map<Thread, List<Peer>> peers = new HashMap<>();
        for (int i = 0; i < 4 * THREADS; i++) {
            get(clientNode().connect(listener.address()));
            Accepted added = next();
            peers.computeIfAbsent(added.thread(), _ -> new ArrayList<>()).add(added.peer());
        }
        assertEquals(THREADS, peers.size());
        Map.Entry<Thread, List<Peer>> emptied = peers.entrySet().iterator().next();
        emptied.getValue().forEach(Peer::close);

        for (int i = 0; i < 4; i++) {
            get(clientNode().connect(listener.address()));
            assertEquals(emptied.getKey(), next().thread());
        }
    }

    @Test
    @Semantics("O-84")
    void shouldNotCountConnectionsThatHaveNotGotThrough() throws IOException {
        Node node = spreading();
        Listener listener = listen(node);
        for (int i = 0; i < 2 * THREADS + 1; i++) {
            try (RawPeer stranger = RawPeer.connect(listener.address())) {
                stranger.write(new byte[64]);
                while (!stranger.isAtEnd()) {
                    Thread.onSpinWait();
                    Thread.yield();
                }
            }
        }

        Map<Thread, Integer> counts = new HashMap<>();
        for (int i = 0; i < 2 * THREADS; i++) {
            get(clientNode().connect(listener.address()));
            counts.merge(next().thread(), 1, Integer::sum);
        }

        assertEquals(List.of(2, 2, 2), List.copyOf(counts.values()));
    }

    @Test
    @Semantics("O-85")
    void shouldServeThePeersOfAllThreads() {
        Node node = spreading();
        Listener listener = listen(node);
        MemoryRegion region = node.allocate(MANY * Long.BYTES, EnumSet.allOf(AccessRight.class));
        for (int i = 0; i < 2 * THREADS; i++) {
            Peer client = get(clientNode().connect(listener.address()));
            Peer server = next().peer();
            CountDownLatch signalled = new CountDownLatch(1);
            server.onSignal(_ -> signalled.countDown());
            CompletableFuture<Message> any = node.receive(i);
            CompletableFuture<Message> reply = client.receive(i);

            get(client.send(word(i), i));
            get(server.send(word(-i), i));

            assertArrayEquals(word(i).toArray(ValueLayout.JAVA_BYTE), get(any).bytes());
            assertEquals(server, get(any).source());
            assertArrayEquals(
                    word(-i).toArray(ValueLayout.JAVA_BYTE), get(reply).bytes());
            PeerKey key = get(client.unpack(region.packedKey()));
            MemorySegment target = buffer(Long.BYTES);
            get(client.putSignal(word(i + 1), 1, key, (long) i * Long.BYTES));
            await(signalled, "the signal");
            get(client.get(target, key, (long) i * Long.BYTES));
            assertEquals(i + 1, target.get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @Test
    @Semantics("O-86")
    void shouldCloseWhileConnectionsAreMade() {
        Node node = spreading();
        Listener listener = listen(node);
        List<CompletableFuture<Peer>> connecting = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            connecting.add(clientNode().connect(listener.address()));
        }
        next();

        node.close();

        for (CompletableFuture<Peer> each : connecting) {
            // Connected and closed, or not connected: no attempt is left open.
            get(each.handle((_, _) -> true));
        }
    }

    @Test
    @Semantics("O-87")
    void shouldRefuseAPeerForWhichNoThreadHasRoom() {
        clientNode();
        configure(ConfigKeys.ENDPOINTS_MAX, 1);
        Listener listener = listen(spreading());
        for (int i = 0; i < THREADS; i++) {
            get(clientNode().connect(listener.address()));
            next();
        }

        FairleadException refused = failureOf(clientNode().connect(listener.address()));

        assertEquals(Reason.LIMIT_REACHED, refused.reason());
        assertMentions("endpoints-max=1", refused);
        assertTrue(accepted.isEmpty());
    }

    private static MemorySegment word(long value) {
        return MemorySegment.ofArray(new long[] {value});
    }

    private Node spreading() {
        configure(NodeKeys.THREADS, THREADS);
        Node node = startNode("spreading");
        configure(NodeKeys.THREADS, 1);
        return node;
    }

    private Listener listen(Node node) {
        return node.listen(loopback(), peer -> accepted.add(new Accepted(peer, Thread.currentThread())));
    }

    private Accepted next() {
        return take(accepted, "a peer to be accepted");
    }
}
