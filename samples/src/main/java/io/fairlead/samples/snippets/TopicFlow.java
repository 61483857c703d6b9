package io.fairlead.samples.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fairlead.FairleadConfig;
import io.fairlead.node.Node;
import io.fairlead.pubsub.FlowSink;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import org.jspecify.annotations.Nullable;

/** A flow in one process, a topic between the two, and a flow in the other. */
public final class TopicFlow {
    private TopicFlow() {}

    // @start region="subscriber"
    /** Prints one word at a time, and asks for the next. */
    static final class Printer implements Flow.Subscriber<String> {
        final CompletableFuture<Void> ended = new CompletableFuture<>();
        private Flow.@Nullable Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(1);
        }

        @Override
        public void onNext(String word) {
            System.out.println(word);
            Objects.requireNonNull(subscription).request(1);
        }

        @Override
        public void onComplete() {
            ended.complete(null);
        }

        @Override
        public void onError(Throwable error) {
            ended.completeExceptionally(error);
        }
    }
    // @end

    /**
     * Sends three words.
     *
     * @param args none
     */
    public static void main(String[] args) {
        // @start region="example"
        try (Node server = Node.start(FairleadConfig.load());
                Node client = Node.start(FairleadConfig.load());
                NodePublisher publisher = NodePublisher.listen(
                                server, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .join();
                NodeSubscriber subscriber =
                        NodeSubscriber.connect(client, publisher.address()).join()) {
            NodeTopic topic = publisher.topic("words").join();

            // The receiving side: a Flow.Publisher. The mapper copies what it needs.
            Flow.Publisher<String> words =
                    subscriber.flow("words", message -> new String(message.toArray(ValueLayout.JAVA_BYTE), UTF_8));
            Printer printer = new Printer();
            words.subscribe(printer);
            while (topic.subscriberCount() == 0) {
                Thread.yield();
            }

            // The sending side: a Flow.Subscriber of any publisher.
            FlowSink<String> sink = topic.flow(word -> MemorySegment.ofArray(word.getBytes(UTF_8)));
            try (SubmissionPublisher<String> source = new SubmissionPublisher<>()) {
                source.subscribe(sink);
                List.of("request", "and", "receive").forEach(source::submit);
            }
            sink.ended().join();
            printer.ended.join();
        }
        // @end
    }
}
