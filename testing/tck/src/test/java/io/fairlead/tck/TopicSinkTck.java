package io.fairlead.tck;

import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.PublisherEvents;
import io.fairlead.pubsub.Subscription;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;
import org.testng.annotations.AfterClass;

/** What publishes a flow on a topic with a subscriber on another node, as the Reactive Streams TCK wants a subscriber to be. */
public abstract class TopicSinkTck extends FlowSubscriberBlackboxVerification<Long> {
    private static final long TIMEOUT_MS = 20_000;
    private static final long SILENCE_MS = 100;
    private static final long POLL_MS = 10;

    private final AtomicLong names = new AtomicLong();
    private final Nodes nodes;

    TopicSinkTck(Lane lane) {
        super(new TestEnvironment(TIMEOUT_MS, SILENCE_MS, POLL_MS));
        nodes = new Nodes(lane, PublisherEvents.NONE);
    }

    @AfterClass(alwaysRun = true)
    public final void closeNodes() {
        nodes.close();
    }

    @Override
    public final Flow.Subscriber<Long> createFlowSubscriber() {
        String name = "sink-" + names.incrementAndGet();
        NodeTopic topic = Nodes.get(nodes.publisher().topic(name));
        Subscription _ = Nodes.get(nodes.subscriber().subscribe(name, (_, _, _, _, _) -> {}));
        return topic.flow(
                FlowOptions.defaults().withElementsMax(4), element -> MemorySegment.ofArray(new long[] {element}));
    }

    @Override
    public final Long createElement(int element) {
        return (long) element;
    }

    /** Over shared memory. */
    public static final class OverShm extends TopicSinkTck {
        /** Made by TestNG. */
        public OverShm() {
            super(Lane.SHM);
        }
    }

    /** Over TCP. */
    public static final class OverTcp extends TopicSinkTck {
        /** Made by TestNG. */
        public OverTcp() {
            super(Lane.TCP);
        }
    }
}
