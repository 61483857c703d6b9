package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.ServiceHandler;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.statistics.Counter;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.internal.CuttingRelay;
import io.fairlead.testkit.internal.CuttingRelay.Cut;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests and topics over connections with {@code endpoint.failover} that a network breaks again and again. */
public class NodeFailoverContract extends NodePubSubCases {
    private static final long TAG = 7;
    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int CALLERS = 16;
    private static final int LENGTH_MAX = 100_000;
    /** Longer than any case takes. */
    private static final Duration LONG = Duration.ofMinutes(10);
    /** Mostly such that at least one side sees it at once, so that a case has many. */
    private static final List<Cut> WAYS = List.of(Cut.RESET, Cut.RESET, Cut.RESET, Cut.END, Cut.END, Cut.HALF);

    /** Creates the suite. */
    protected NodeFailoverContract() {}

    @BeforeEach
    final void switchOn() {
        configure(ConfigKeys.FAILOVER, "on");
        configure(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(300));
    }

    private static int cuts() {
        return repetitions(60);
    }

    private CuttingRelay relayTo(InetSocketAddress address) throws IOException {
        return closeLater(new CuttingRelay(address, cuts()));
    }

    @Test
    @Semantics("V-12")
    void shouldLoseNoRequestAndHandleNoneTwice() throws IOException {
        CuttingRelay relay = relayTo(address());
        Peer client = get(clientNode().connect(relay.address(), PathPolicy.AUTO, ReconnectPolicy.NEVER));
        Peer server = nextAccepted();
        Map<Long, Integer> handled = new ConcurrentHashMap<>();
        ServiceHandler service = request -> {
            handled.merge(request.segment().get(NUMBER, 0), 1, Integer::sum);
            request.reply(request.bytes());
        };
        serverNode().serve(TAG, service);
        clientNode().serve(TAG, service);
        AtomicLong asked = new AtomicLong();
        relay.cut(WAYS);
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CALLERS; i++) {
                Peer peer = i % 2 == 0 ? client : server;
                Random random = new Random(i);
                callers.add(CompletableFuture.runAsync(
                        () -> {
                            while (relay.count() < cuts()) {
                                ask(peer, asked.getAndIncrement(), random);
                            }
                        },
                        threads));
            }
            callers.forEach(NodeCases::get);
        }
        relay.spare();
        assertEquals(asked.get(), handled.size(), "requests that were handled");
        handled.forEach(
                (number, times) -> assertEquals(1, times, () -> "times that request " + number + " was handled"));
        assertWentOn(clientNode());
        RequestCases.assertNothingLeft(clientNode());
        RequestCases.assertNothingLeft(serverNode());
    }

    private static void ask(Peer peer, long number, Random random) {
        byte[] asked =
                new byte[Long.BYTES + (random.nextInt(8) == 0 ? random.nextInt(LENGTH_MAX) : random.nextInt(200))];
        random.nextBytes(asked);
        MemorySegment.ofArray(asked).set(NUMBER, 0, number);
        try (Message reply = get(peer.request(asked, TAG, LONG))) {
            assertArrayEquals(asked, reply.bytes());
        }
    }

    @Test
    @Semantics("V-13")
    void shouldLeaveASubscriberNoGap() throws IOException {
        NodePublisher publisher = publisher();
        NodeTopic topic = get(publisher.topic("numbers"));
        CuttingRelay relay = relayTo(publisher.address());
        NodeSubscriber subscriber = closeLater(get(NodeSubscriber.connect(
                clientNode(), relay.address(), SubscriberOptions.defaults().withReconnect(ReconnectPolicy.NEVER))));
        TopicRecorder recorder = new TopicRecorder(1);
        AtomicLong arrived = new AtomicLong();
        Subscription subscription = get(subscriber.subscribe(
                "numbers",
                SubscriptionOptions.defaults(),
                (name, sequence, buffer, offset, length) -> {
                    recorder.message(name, sequence, buffer, offset, length);
                    arrived.set(sequence);
                },
                recorder));
        get(subscription.joined());
        relay.cut(WAYS);
        ArrayDeque<CompletableFuture<Long>> published = new ArrayDeque<>();
        Random random = new Random(1);
        long last = 0;
        while (relay.count() < cuts()) {
            byte[] message = new byte[random.nextInt(8) == 0 ? random.nextInt(4_000) : random.nextInt(100)];
            Pattern.fill(MemorySegment.ofArray(message), 0, message.length, 1 + ++last);
            published.add(topic.publish(message));
            while (published.size() > CALLERS) {
                get(published.remove());
            }
        }
        published.forEach(NodeCases::get);
        relay.spare();
        long sequence = last;
        awaitTrue(() -> arrived.get() == sequence, "the last message");
        // Until here the recorder belongs to the node's thread.
        subscriber.close();
        assertEquals(List.of(), recorder.violations());
        assertEquals(List.of(), recorder.gaps());
        assertEquals(last, recorder.count());
        assertEquals(1, recorder.joins().size());
        assertWentOn(clientNode());
    }

    private static void assertWentOn(Node node) {
        assertTrue(node.context().statistics().value(Counter.FAILOVERS) > 0, "no connection went on over another one");
        assertEquals(0, node.context().statistics().value(Counter.RECONNECTS));
    }
}
