package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.Capability;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PeerIdentity;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.testkit.contract.Semantics;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who may publish and subscribe to which topics, by the {@link Authorizer} of either side. */
public class PubSubAccessContract extends PubSubCases {
    /** Knows one topic, and regions of nobody. */
    private static final class OneTopic implements Authorizer {
        @Override
        public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
            return Verdict.ALLOWED;
        }

        @Override
        public Verdict publish(PeerIdentity peer, String topic) {
            return topic.equals("open") ? Verdict.ALLOWED : Verdict.refused("it is secret");
        }

        @Override
        public Verdict subscribe(PeerIdentity peer, String topic) {
            return publish(peer, topic);
        }

        @Override
        public Set<AccessRight> region(PeerIdentity peer, String label) {
            return Set.of();
        }
    }

    /** Creates the suite. */
    protected PubSubAccessContract() {}

    @Test
    @Semantics("A-21")
    void shouldRefuseASubscriberItsTopicAndServeItAnother() {
        authorize(new OneTopic());
        Publisher publisher = publisher();
        authorize(Authorizer.ALL);
        publisher.topic("closed", TopicOptions.defaults());
        Topic open = publisher.topic("open", TopicOptions.defaults());
        Subscriber subscriber = subscriber(publisher);

        for (String topic : List.of("closed", "unknown")) {
            TopicRecorder refused = recorder(7);
            subscribe(subscriber, topic, refused);
            until(() -> !refused.ends().isEmpty(), "the refusal");
            assertRefused(refused, "not allowed to subscribe: topic=" + topic + ", identity=");
        }

        TopicRecorder recorder = recorder(7);
        join(subscriber, "open", recorder);
        publishMany(open, 7, 10, 64);
        until(() -> recorder.sequences().size() == 10, "the messages of the open topic");
    }

    @Test
    @Semantics("A-22")
    void shouldNotSubscribeToAPublisherThatMayNotPublish() {
        Publisher publisher = publisher();
        publisher.topic("closed", TopicOptions.defaults());
        publisher.topic("open", TopicOptions.defaults());
        authorize(new OneTopic());
        Subscriber subscriber = subscriber(publisher);
        TopicRecorder refused = recorder(7);

        assertEquals(
                SubscriptionState.WAITING,
                subscribe(subscriber, "closed", refused).state());
        until(() -> !refused.ends().isEmpty(), "the refusal");

        assertRefused(refused, "publisher is not allowed to publish: topic=closed, identity=");
        assertEquals(0, publisher.subscribers().size());
        join(subscriber, "open", recorder(7));
    }

    @Test
    @Semantics("A-23")
    void shouldShowTheSnapshotOfATopicToWhoMaySubscribe() {
        requires(Capability.GET);
        authorize(new OneTopic());
        Publisher publisher = publisher();
        authorize(Authorizer.ALL);
        Topic topic =
                publisher.topic("open", TopicOptions.defaults().withSnapshot(SnapshotOptions.lastMessages(16, 64)));
        publishMany(topic, 7, 10, 64);
        TopicRecorder recorder = recorder(7).withSnapshotOfRun();

        subscribe(
                subscriber(publisher), "open", SubscriptionOptions.defaults().withStartAt(StartAt.SNAPSHOT), recorder);

        until(() -> !recorder.snapshots().isEmpty() || !recorder.ends().isEmpty(), "the snapshot");
        assertEquals(List.of(), recorder.ends());
        assertEquals(10, recorder.snapshots().getFirst());
    }

    private static void assertRefused(TopicRecorder refused, String beginning) {
        FairleadException cause = refused.ends().getFirst();
        assertEquals(Reason.REFUSED, cause.reason());
        String message = String.valueOf(cause.getMessage());
        assertTrue(message.contains(beginning), message);
        assertTrue(message.contains("it is secret"), message);
    }
}
