package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.ConnectionRequestHandler;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.ReconnectPolicy;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.discovery.Member;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.servicetest.MemoryRegistry;
import io.fairlead.testkit.contract.Semantics;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Subscribers that find their publishers by name. */
public class NodeSubscriberByNameContract extends NodePeersCases {
    /** Creates the suite. */
    protected NodeSubscriberByNameContract() {}

    @Test
    @Semantics("O-143")
    void shouldSubscribeByNameAndFollowThePublisher() {
        configure(NodeKeys.DISCOVERY_REFRESH_MIN, SOON);
        NodeSubscriber subscriber = subscribeByName(ReconnectPolicy.always(SOON, SOON));
        BlockingQueue<Long> lengths = new LinkedBlockingQueue<>();
        get(subscriber.subscribe("t", (_, _, _, _, length) -> lengths.add(length)));
        // Nobody knows the name, and then it has no member.
        members();
        Node first = startNode("first");
        NodeTopic old = publish(first, "first");
        publishUntilHeard(old, 3, lengths);
        NodeTopic young = publish(startNode("second"), "second");
        first.close();
        publishUntilHeard(young, 4, lengths);
    }

    private NodeSubscriber subscribeByName(ReconnectPolicy reconnect) {
        return closeLater(get(NodeSubscriber.connect(
                clientNode(), name, SubscriberOptions.defaults().withReconnect(reconnect))));
    }

    @Test
    @Semantics("O-143")
    void shouldLeaveMembersThatAreOfNoUseForTheNext() {
        configure(NodeKeys.DISCOVERY_REFRESH_MIN, SOON);
        ConnectionRequestHandler rejects = request -> request.reject(Reason.REFUSED, "not this one");
        Listener refusing = get(serverNode().workerThread().call(worker -> worker.listen(loopback(), rejects)));
        NodePublisher without = get(NodePublisher.listen(serverNode(), loopback()));
        NodeTopic _ = get(without.topic("another"));
        NodePublisher good = get(NodePublisher.listen(serverNode(), loopback()));
        NodeTopic topic = get(good.topic("t"));
        MemoryRegistry.set(
                service,
                List.of(
                        Member.of("unresolved", InetSocketAddress.createUnresolved("nowhere.invalid", 7400)),
                        Member.of("refusing", refusing.address()),
                        Member.of("without the topic", without.address()),
                        Member.of("good", good.address())));
        NodeSubscriber subscriber = subscribeByName(ReconnectPolicy.always(SOON, SOON));
        BlockingQueue<Long> lengths = new LinkedBlockingQueue<>();
        get(subscriber.subscribe("t", (_, _, _, _, length) -> lengths.add(length)));
        publishUntilHeard(topic, 3, lengths);
    }

    @Test
    @Semantics("O-143")
    void shouldGiveUpAServiceAfterAsManyAttemptsAsPermitted() {
        members();
        NodeSubscriber subscriber =
                subscribeByName(ReconnectPolicy.always(SOON, SOON).attemptsAtMost(2));
        CompletableFuture<FairleadException> ended = new CompletableFuture<>();
        get(subscriber.subscribe("t", SubscriptionOptions.defaults(), (_, _, _, _, _) -> {}, new SubscriptionEvents() {
            @Override
            public void ended(Subscription subscription, FairleadException cause) {
                ended.complete(cause);
            }
        }));
        FairleadException cause = get(ended);
        assertEquals(Reason.NOT_CONNECTED, cause.reason());
        assertTrue(cause.toString().contains("name=" + name), cause::toString);
    }

    @Test
    @Semantics("O-143")
    void shouldLeaveNothingOfASubscriberThatWasCancelled() {
        members();
        CountDownLatch held = new CountDownLatch(1);
        CompletableFuture<Boolean> holding = clientNode().workerThread().call(_ -> {
            await(held, "the test");
            return true;
        });
        CompletableFuture<NodeSubscriber> connecting = NodeSubscriber.connect(clientNode(), name);
        assertTrue(connecting.cancel(true));
        held.countDown();
        assertTrue(get(holding));
        awaitNoResolver();
    }

    /** Publishes topic t on a node, which becomes the only member of the service. */
    private NodeTopic publish(Node node, String memberName) {
        NodePublisher publisher = get(NodePublisher.listen(node, loopback()));
        NodeTopic topic = get(publisher.topic("t"));
        MemoryRegistry.set(service, List.of(Member.of(memberName, publisher.address())));
        return topic;
    }

    private static void publishUntilHeard(NodeTopic topic, long length, BlockingQueue<Long> lengths) {
        for (int i = 0; i < 6000; i++) {
            get(topic.publish(new byte[(int) length]));
            try {
                Long heard = lengths.poll(10, TimeUnit.MILLISECONDS);
                if (heard != null && heard == length) {
                    return;
                }
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }
        throw new AssertionError("no message was heard: length=" + length);
    }
}
