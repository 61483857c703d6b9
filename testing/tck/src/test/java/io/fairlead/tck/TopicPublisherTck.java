package io.fairlead.tck;

import java.util.concurrent.Flow;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.AfterClass;

/** The messages of a topic, received on another node, as the Reactive Streams TCK wants a publisher to be. */
public abstract class TopicPublisherTck extends FlowPublisherVerification<Long> {
    private static final long TIMEOUT_MS = 20_000;
    private static final long SILENCE_MS = 100;
    private static final long POLL_MS = 10;

    private final Feeds feeds;

    TopicPublisherTck(Lane lane) {
        super(new TestEnvironment(TIMEOUT_MS, SILENCE_MS, POLL_MS), TIMEOUT_MS);
        feeds = new Feeds(lane);
    }

    @AfterClass(alwaysRun = true)
    public final void closeNodes() {
        feeds.close();
    }

    @Override
    public final Flow.Publisher<Long> createFlowPublisher(long elements) {
        return feeds.flow(elements);
    }

    @Override
    public final Flow.Publisher<Long> createFailedFlowPublisher() {
        return feeds.failed();
    }

    /** Over shared memory. */
    public static final class OverShm extends TopicPublisherTck {
        /** Made by TestNG. */
        public OverShm() {
            super(Lane.SHM);
        }
    }

    /** Over TCP. */
    public static final class OverTcp extends TopicPublisherTck {
        /** Made by TestNG. */
        public OverTcp() {
            super(Lane.TCP);
        }
    }
}
