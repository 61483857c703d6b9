package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.spi.LayerWorker;
import io.fairlead.testkit.contract.End;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.contract.Side;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Message contexts of published messages. */
public class PubSubContextContract extends PubSubCases {
    private static final int HANDLER = LayerWorker.LAYER_HANDLER_MIN + 1;
    private static final String NAME = "numbers";

    /** Creates the suite. */
    protected PubSubContextContract() {}

    /** A handler that remembers contexts by sequence number, and checks the bytes beside. */
    private static final class Contexts implements MessageHandler {
        private final List<MessageContext> all = new ArrayList<>();

        @Override
        public void message(String topic, long sequence, MemorySegment buffer, long offset, long length) {
            message(topic, sequence, buffer, offset, length, MessageContext.EMPTY);
        }

        @Override
        public void message(
                String topic, long sequence, MemorySegment buffer, long offset, long length, MessageContext context) {
            Pattern.verify(buffer, offset, length, sequence);
            all.add(context);
        }
    }

    private static MessageContext numbered(long number) {
        return MessageContext.of(Map.of("number", Long.toString(number)));
    }

    private Contexts join(Subscriber subscriber) {
        Contexts contexts = new Contexts();
        Subscription subscription = subscriber.subscribe(NAME, SubscriptionOptions.defaults(), contexts, recorder(0));
        awaitLive(subscription);
        return contexts;
    }

    private void publish(Topic topic, long length, MessageContext context) {
        MemorySegment message = buffer(length);
        Pattern.fill(message, 0, length, topic.sequence() + 1);
        long[] answer = {topic.publish(message, 0, length, context)};
        until(
                () -> {
                    if (answer[0] == Endpoint.BACK_PRESSURE) {
                        answer[0] = topic.publish(message, 0, length, context);
                    }
                    return answer[0] > 0;
                },
                "room");
    }

    @Test
    @Semantics("P-21")
    void shouldBringEachMessageItsOwnContextToEverySubscriber() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic(NAME, TopicOptions.defaults().withBatchBytes(1024));
        Contexts first = join(subscriber(publisher));
        Contexts second = join(subscriber(newSide("second"), publisher.address(), subscriberOptions()));
        List<MessageContext> expected = new ArrayList<>();
        long[] lengths = {0, 8, 100, 900, 1008, 1009, 5000, 300_000};
        for (int i = 0; i < 400; i++) {
            MessageContext context = i % 3 == 1 ? MessageContext.EMPTY : numbered(i);
            publish(topic, lengths[i % lengths.length], context);
            expected.add(context);
        }
        until(() -> first.all.size() == 400 && second.all.size() == 400, "all messages");
        assertEquals(expected, first.all);
        assertEquals(expected, second.all);
        assertEquals(400, topic.sequence());
    }

    @Test
    @Semantics("P-22")
    void shouldSendNoContextsWhileASubscriberDoesNotKnowThem() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic(NAME);
        Contexts contexts = join(subscriber(publisher));
        publish(topic, 8, numbered(1));
        Side plain = newSide("plain");
        End end = new End(plain, plain.worker().connect(publisher.address(), plain.events()));
        until(() -> end.endpoint().state() == EndpointState.CONNECTED, "the connection");
        subscribe(end);
        until(() -> topic.subscriberCount() == 2, "the other subscriber to have joined");
        publish(topic, 8, numbered(2));
        end.endpoint().close();
        until(() -> topic.subscriberCount() == 1, "the other subscriber to be gone");
        publish(topic, 8, numbered(3));
        until(() -> contexts.all.size() == 3, "all messages");
        assertEquals(List.of(numbered(1), MessageContext.EMPTY, numbered(3)), contexts.all);
    }

    @Test
    @Semantics("P-23")
    void shouldLeaveOutContextsThatFitNoBatch() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic(NAME, TopicOptions.defaults().withBatchBytes(1024));
        Contexts contexts = join(subscriber(publisher));
        MessageContext fits = MessageContext.of(Map.of("text", "x".repeat(1024 - 16 - 24 - 8)));
        MessageContext tooLong = MessageContext.of(Map.of("text", "x".repeat(1024 - 16 - 24 - 7)));
        for (long length : new long[] {8, 5000}) {
            publish(topic, length, fits);
            publish(topic, length, tooLong);
        }
        until(() -> contexts.all.size() == 4, "all messages");
        assertEquals(List.of(fits, MessageContext.EMPTY, fits, MessageContext.EMPTY), contexts.all);
    }

    /** Sends the request of a subscriber that knows no contexts. */
    private void subscribe(End end) {
        byte[] name = NAME.getBytes(StandardCharsets.UTF_8);
        byte[] join = new byte[24 + name.length];
        ByteBuffer.wrap(join)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(2)
                .putInt(0)
                .putLong(1L << 30)
                .putInt(0)
                .putInt(name.length)
                .put(name);
        MemorySegment payload = buffer(join.length);
        MemorySegment.copy(join, 0, payload, ValueLayout.JAVA_BYTE, 0, join.length);
        MemorySegment header = buffer(24);
        header.set(ValueLayout.JAVA_INT, 0, 1);
        header.set(ValueLayout.JAVA_INT, 4, 1);
        assertTrue(end.endpoint().sendActive(HANDLER, header, payload, _ -> {}) > 0);
    }
}
