package io.fairlead.cli.soak;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.soak.Round.Incident;
import io.fairlead.node.Node;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.spi.host.HostPort;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** A topic of the member, without loss or with gaps that are told, and a subscriber that is slow now and then. */
final class TopicScenario implements Scenario {
    private static final String TOPIC = "soak";
    private static final int MESSAGES_MAX = 5000;

    @Override
    public String label() {
        return "topics";
    }

    @Override
    public List<Incident> incidents() {
        return List.of(Incident.NONE, Incident.NONE, Incident.STALL, Incident.CLOSE, Incident.WITHDRAW, Incident.KILL);
    }

    private static boolean isLossless(Round round) {
        return round.random("policy").nextBoolean();
    }

    private static Numbered messages(Round round) {
        return new Numbered(round.seed(), 1 + round.random("messages").nextInt(MESSAGES_MAX));
    }

    @Override
    public void serve(Round round, FairleadConfig config, ParentLink parent, Tally tally) throws Exception {
        Numbered messages = messages(round);
        SlowPolicy policy = isLossless(round) ? SlowPolicy.BLOCK : SlowPolicy.DROP_OLDEST;
        try (Node node = Node.start(config);
                NodePublisher publisher = NodePublisher.listen(node, HostPort.resolve("127.0.0.1:0", 0))
                        .get(SoakMember.LIMIT_S, TimeUnit.SECONDS)) {
            NodeTopic topic = publisher
                    .topic(TOPIC, TopicOptions.defaults().withSlowPolicy(policy).withBacklogBytes(2L << 20))
                    .get(SoakMember.LIMIT_S, TimeUnit.SECONDS);
            parent.ready(Integer.toString(publisher.address().getPort()));
            // The parent says when its subscription has joined.
            parent.awaitOrder(TimeUnit.SECONDS.toMillis(SoakMember.LIMIT_S));
            byte[] content = new byte[Numbered.LENGTH_MAX];
            for (int number = 0; number < messages.count() && !parent.isOver(); number++) {
                messages.fill(MemorySegment.ofArray(content), number);
                if (!publish(
                        topic, MemorySegment.ofArray(content).asSlice(0, messages.length(number)), parent, tally)) {
                    break;
                }
                if (parent.order().equals(MemberLine.WITHDRAW)) {
                    topic.close().get(SoakMember.LIMIT_S, TimeUnit.SECONDS);
                    break;
                }
            }
            while (!parent.isOver()) {
                parent.awaitOrder(TimeUnit.SECONDS.toMillis(1));
            }
        }
    }

    private static boolean publish(NodeTopic topic, MemorySegment message, ParentLink parent, Tally tally)
            throws InterruptedException, ExecutionException {
        try {
            topic.publish(message).get(SoakMember.LIMIT_S, TimeUnit.SECONDS);
            tally.count();
            return true;
        } catch (TimeoutException hangs) {
            if (!parent.isOver()) {
                tally.fault("a publish hangs: subscribers=%d", topic.subscriberCount());
            }
            return false;
        }
    }

    /** What the subscriber gets, in the order of sequence numbers, which begin with 1. */
    private static final class Heard implements SubscriptionEvents {
        private final Numbered messages;
        private final boolean lossless;
        private final boolean killed;
        private final Tally tally;
        private final SplittableRandom pace;
        private final CountDownLatch all = new CountDownLatch(1);
        private volatile long next = 1;

        Heard(Round round, Tally tally) {
            messages = messages(round);
            lossless = isLossless(round);
            killed = round.incident() == Incident.KILL;
            pace = round.random("pace");
            this.tally = tally;
        }

        void take(String topic, long sequence, MemorySegment buffer, long offset, long length) {
            tally.count();
            if (sequence != next) {
                tally.fault("messages of a topic are missing without a word: sequence=%d, due=%d", sequence, next);
            }
            int number = (int) sequence - 1;
            if (number >= messages.count()
                    || length != messages.length(number)
                    || !messages.matches(buffer.asSlice(offset, length), number)) {
                tally.fault("a message of a topic was damaged: sequence=%d, length=%d", sequence, length);
            }
            if (pace.nextInt(200) == 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pace.nextInt(5)));
            }
            moveTo(sequence + 1);
        }

        private void moveTo(long sequence) {
            next = sequence;
            if (sequence > messages.count()) {
                all.countDown();
            }
        }

        @Override
        public void gap(Subscription subscription, long first, long last, GapCause cause) {
            boolean isLostWithItsPublisher = killed && cause == GapCause.DISCONNECTED;
            if (first != next || last < first || last > messages.count() || (lossless && !isLostWithItsPublisher)) {
                tally.fault("a gap that must not be: first=%d, due=%d, last=%d, cause=%s", first, next, last, cause);
            }
            moveTo(last + 1);
        }
    }

    @Override
    public void run(Round round, FairleadConfig config, SoakMember member, Tally tally) throws Exception {
        String port = member.begin(round);
        Heard heard = new Heard(round, tally);
        try (Node node = Node.start(config);
                NodeSubscriber subscriber = NodeSubscriber.connect(node, HostPort.resolve("127.0.0.1:" + port, 1))
                        .get(SoakMember.LIMIT_S, TimeUnit.SECONDS)) {
            Subscription subscription = subscriber
                    .subscribe(TOPIC, SubscriptionOptions.defaults(), heard::take, heard)
                    .get(SoakMember.LIMIT_S, TimeUnit.SECONDS);
            subscription.joined().get(SoakMember.LIMIT_S, TimeUnit.SECONDS);
            member.order("go");
            if (round.incident() != Incident.NONE) {
                Thread.sleep(round.random("incident").nextInt(200));
                if (round.incident() == Incident.CLOSE) {
                    subscription.close();
                }
                member.suffer(round);
            }
            if (round.incident().isHarmless() && !heard.all.await(SoakMember.LIMIT_S, TimeUnit.SECONDS)) {
                tally.fault("messages of a topic were lost: next=%d of %d", heard.next, heard.messages.count());
            }
        }
    }
}
