package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.ActiveMessage;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.PublisherEvents;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriberStats;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.Topic;
import io.fairlead.spi.LayerWorker;
import io.fairlead.testkit.contract.End;
import io.fairlead.testkit.contract.Event;
import io.fairlead.testkit.contract.Semantics;
import io.fairlead.testkit.contract.Side;
import io.fairlead.testkit.internal.Thrown;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Peers that break the protocol of publish-subscribe: their connection ends with a reason, and no other is affected. */
public class PubSubProtocolContract extends PubSubCases {
    private static final int HANDLER = LayerWorker.LAYER_HANDLER_MIN + 1;
    private static final int JOINED = 1;
    private static final int BATCH = 3;
    private static final int PLACE = 4;
    private static final int REGION = 5;
    private static final int END = 6;

    /** The endpoints whose peers have asked a publisher of the case's own to join. */
    private final Set<Endpoint> asked = new HashSet<>();

    /** What one side sends the other. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Message(byte[] header, byte[] payload) {}

    /** Creates the suite. */
    protected PubSubProtocolContract() {}

    private static byte[] wire(int size, Consumer<ByteBuffer> writer) {
        byte[] bytes = new byte[size];
        writer.accept(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        return bytes;
    }

    private static Message control(int kind, int stream, long first, long second) {
        return new Message(
                wire(
                        24,
                        buffer -> buffer.putInt(kind)
                                .putInt(stream)
                                .putLong(first)
                                .putLong(second)),
                new byte[0]);
    }

    private static Message with(byte[] payload, Message message) {
        return new Message(message.header, payload);
    }

    private static Message subscribe(int stream, int version, String topic) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        return with(
                wire(
                        24 + name.length,
                        buffer -> buffer.putInt(version)
                                .putInt(0)
                                .putLong(1L << 30)
                                .putInt(0)
                                .putInt(name.length)
                                .put(name)),
                control(1, stream, 0, 0));
    }

    private static Message credit(int stream, long granted, long consumed) {
        return control(2, stream, granted, consumed);
    }

    private static Message read(int stream, long mapped, long batches) {
        return control(4, stream, mapped, batches);
    }

    private void sendAll(End end, Message... messages) {
        for (Message message : messages) {
            assertTrue(send(end, message) > 0);
        }
    }

    private long send(End end, Message message) {
        return end.endpoint().sendActive(HANDLER, segment(message.header), segment(message.payload), _ -> {});
    }

    private MemorySegment segment(byte[] bytes) {
        MemorySegment segment = buffer(bytes.length);
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return segment;
    }

    @Test
    @Semantics("P-80")
    void shouldCloseASubscriberThatSendsSomethingMalformed() {
        List<String> told = new ArrayList<>();
        Publisher publisher = publisher(publisherOptions().withEvents(new PublisherEvents() {
            @Override
            public void left(SubscriberStats subscriber, FairleadException cause) {
                told.add(cause.reason() + " " + cause.getMessage());
            }
        }));
        Topic topic = publisher.topic("numbers");
        TopicRecorder recorder = recorder(7);
        join(subscriber(publisher), "numbers", recorder);
        List<Message> malformed = List.of(
                new Message(new byte[0], new byte[0]),
                new Message(new byte[7], new byte[0]),
                new Message(new byte[23], new byte[0]),
                new Message(new byte[128], new byte[100_000]),
                control(0, 1, 0, 0),
                control(5, 1, 0, 0),
                control(1, 2, 0, 0),
                with(new byte[513], control(1, 2, 0, 0)),
                with(new byte[100_000], control(1, 2, 0, 0)),
                with(new byte[1], control(2, 1, 0, 0)),
                with(new byte[100_000], control(4, 1, 0, 0)),
                subscribe(0, 2, "numbers"),
                subscribe(4096, 2, "numbers"),
                subscribe(1, 2, "numbers"),
                subscribe(2, 2, ""),
                subscribe(2, 2, "num\u0007bers"),
                credit(1, -1, 0),
                credit(1, 1L << 40, 0),
                credit(1, 1, 1L << 40),
                read(1, 0, 1),
                read(1, 1, 0));
        Side hostile = newSide("hostile");
        for (Message message : malformed) {
            End end = connect(hostile, publisher);
            assertTrue(send(end, subscribe(1, 2, "numbers")) > 0);
            until(() -> topic.subscriberCount() == 2, "the hostile subscriber to have joined");
            assertTrue(send(end, message) > 0);
            until(() -> hostile.events().ended(end.endpoint()), "the endpoint to be closed");
            until(() -> topic.subscriberCount() == 1, "the subscriber to be gone");
        }
        until(() -> told.size() == malformed.size(), "the events");
        for (String event : told) {
            assertTrue(event.startsWith("PROTOCOL_VIOLATION subscriber sent a malformed message: peer="), event);
        }
        publishMany(topic, 7, 100, 8);
        until(() -> recorder.count() == 100, "the well-behaved subscriber");
        assertEquals(List.of(), recorder.disconnects());
    }

    private End connect(Side side, Publisher publisher) {
        End end = new End(side, side.worker().connect(publisher.address(), side.events()));
        until(() -> end.endpoint().state() == EndpointState.CONNECTED, "the connection");
        return end;
    }

    @Test
    @Semantics("P-81")
    void shouldRefuseAnotherVersionAndName() {
        Publisher publisher = publisher();
        publisher.topic("numbers");
        Side other = newSide("other");
        End end = connect(other, publisher);
        List<String> refusals = new ArrayList<>();
        ((LayerWorker) other.worker()).registerLayer(HANDLER, message -> refusals.add(text(message)));
        assertTrue(send(end, subscribe(1, 1, "numbers")) > 0);
        until(() -> !refusals.isEmpty(), "the refusal");
        assertTrue(refusals.getFirst().contains("subscriber=1, publisher=2"), refusals.getFirst());
    }

    /** The text of a refusal, behind its code. */
    private static String text(ActiveMessage message) {
        byte[] bytes = message.payload().asSlice(8).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    @Semantics("P-82")
    void shouldBearNoiseOnAPublishersControlMessages() {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        TopicRecorder recorder = recorder(7);
        join(subscriber(publisher), "numbers", recorder);
        Side noisy = newSide("noisy");
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 200; i++) {
            End end = connect(noisy, publisher);
            for (int j = 0; j < 5; j++) {
                byte[] noise = new byte[random.nextInt(64)];
                random.nextBytes(noise);
                byte[] header = new byte[random.nextInt(4) == 0 ? random.nextInt(129) : 24];
                random.nextBytes(header);
                if (header.length >= 8 && random.nextBoolean()) {
                    Message known = control(1 + random.nextInt(4), 1 + random.nextInt(5), 0, 0);
                    System.arraycopy(known.header, 0, header, 0, 8);
                }
                long posted = send(end, new Message(header, random.nextBoolean() ? noise : new byte[0]));
                assertTrue(posted > 0 || end.endpoint().state() != EndpointState.CONNECTED);
                turn();
            }
            end.endpoint().close();
        }
        publishMany(topic, 7, 100, 8);
        until(() -> recorder.count() == 100, "the well-behaved subscriber");
        assertEquals(List.of(), recorder.disconnects());
        until(() -> topic.subscriberCount() == 1, "nobody else");
    }

    private static byte[] frame(int payloadLength, int kind, long sequence, byte[] payload) {
        int padded = (payload.length + 7) & -8;
        return wire(
                16 + padded,
                buffer -> buffer.putInt(payloadLength)
                        .putInt(kind)
                        .putLong(sequence)
                        .put(payload));
    }

    /** A message of the first stream of a publisher. */
    private static Message message(int kind, long value, byte... payload) {
        return message(kind, 1, value, payload);
    }

    private static Message message(int kind, int stream, long value, byte... payload) {
        return new Message(wire(16, buffer -> buffer.putInt(kind).putInt(stream).putLong(value)), payload);
    }

    private static Message joined(long epoch, int batchBytes) {
        return joined(1, epoch, batchBytes, 10);
    }

    private static Message joined(int stream, long epoch, int batchBytes, long nextSequence) {
        byte[] payload = wire(
                40,
                buffer -> buffer.putLong(epoch)
                        .putLong(100)
                        .putInt(batchBytes)
                        .putInt(0)
                        .putInt(0)
                        .putInt(0)
                        .putInt(0)
                        .putInt(0));
        return message(JOINED, stream, nextSequence, payload);
    }

    private static Message batch(byte... frames) {
        return message(BATCH, 20, frames);
    }

    private static Message place(long region, long offset, long length) {
        byte[] header = wire(
                40,
                buffer -> buffer.putInt(PLACE)
                        .putInt(1)
                        .putLong(20)
                        .putLong(region)
                        .putLong(offset)
                        .putLong(length));
        return new Message(header, new byte[0]);
    }

    private static byte[] data(long sequence) {
        return frame(8, 1, sequence, new byte[8]);
    }

    private static byte[] large(long announced, int length) {
        return frame(8, 2, 10, wire(8 + length, buffer -> buffer.putLong(announced)));
    }

    @Test
    @Semantics("P-83")
    void shouldLeaveAPublisherThatSendsSomethingMalformed() {
        Message good = joined(5, 1024);
        assertLeaves(new Message(new byte[0], new byte[0]));
        assertLeaves(new Message(new byte[15], new byte[0]));
        assertLeaves(new Message(new byte[17], new byte[0]));
        assertLeaves(message(9, 0));
        assertLeaves(message(JOINED, 10));
        assertLeaves(message(JOINED, 10, new byte[5000]));
        assertLeaves(message(JOINED, 10, new byte[100_000]));
        assertLeaves(message(JOINED, 2, 10));
        assertLeaves(message(END, 0, new byte[8]));
        assertLeaves(batch(data(10)));
        assertLeaves(joined(0, 1024));
        assertLeaves(joined(5, 100));
        assertLeaves(joined(5, 2 << 20));
        assertLeaves(good, good);
        assertLeaves(good, message(9, 0));
        assertLeaves(good, batch());
        assertLeaves(good, batch(new byte[8]));
        assertLeaves(good, batch(new byte[2048]));
        assertLeaves(good, batch(new byte[25]));
        assertLeaves(good, batch(frame(-1, 1, 10, new byte[8])));
        assertLeaves(good, batch(frame(9, 1, 10, new byte[8])));
        assertLeaves(good, batch(frame(Integer.MAX_VALUE, 1, 10, new byte[8])));
        assertLeaves(good, batch(frame(8, 9, 10, new byte[8])));
        assertLeaves(good, batch(frame(8, 1 << 16 | 1, 10, new byte[8])));
        assertLeaves(good, batch(frame(8, 1, 9, new byte[8])));
        assertLeaves(good, batch(frame(8, 1, -1, new byte[8])));
        assertLeaves(good, batch(data(10)), batch(data(10)));
        assertLeaves(good, batch(frame(0, 3, 10, new byte[0])));
        assertLeaves(good, batch(frame(1, 3, 10, new byte[] {1})));
        assertLeaves(good, batch(frame(2, 3, 10, new byte[] {0, 0})));
        assertLeaves(good, batch(frame(7, 3, 10, new byte[] {1, 1, 'a', 1, 0, 7})));
        assertLeaves(good, message(END, 0));
        assertLeaves(good, message(END, 0, wire(8, buffer -> buffer.putLong(99))));
        assertLeaves(good, message(END, 0, new byte[100_000]));
        assertLeaves(good, message(REGION, 0, new byte[8]));
        assertLeaves(good, message(REGION, 0, wire(40, buffer -> buffer.putLong(1L << 40))));
        assertLeaves(good, message(REGION, 0, new byte[40]));
        assertLeaves(good, place(0, 0, 24));
        assertLeaves(good, place(-1, 0, 24));
        assertLeaves(good, place(0, 0, 1 << 20));
        assertLeaves(good, message(PLACE, 20, new byte[24]));
        assertLeaves(good, batch(large(1L << 40, 40)));
        assertLeaves(good, batch(frame(16, 2, 10, new byte[16])));
        assertLeaves(good, batch(large(41, 40)));
        assertLeaves(good, batch(large(39, 40)));
        assertLeaves(good, batch(large(-1, 40)));
    }

    /** The connection of that number to a publisher of the case's own, on which a subscriber has asked to join. */
    private End awaitJoin(Side rogue, int connection) {
        until(() -> rogue.events().count(Event.Kind.CONNECTED) == connection, "the subscriber to connect");
        End end = new End(rogue, rogue.events().lastConnected());
        until(() -> asked.contains(end.endpoint()), "the join");
        return end;
    }

    /** A side that has a publisher of the case's own. */
    private Side newRogue() {
        Side rogue = newSide("rogue");
        ((LayerWorker) rogue.worker()).registerLayer(HANDLER, message -> asked.add(message.source()));
        return rogue;
    }

    private TopicRecorder subscribeTo(Side rogue) {
        Subscriber subscriber = subscriber(client(), rogue.listener().address(), subscriberOptions());
        TopicRecorder recorder = new TopicRecorder(0);
        subscriber.subscribe(
                "numbers",
                SubscriptionOptions.defaults(),
                (topic, sequence, buffer, at, length) -> recorder.note(sequence),
                recorder);
        return recorder;
    }

    @Test
    @Semantics("P-86")
    void shouldNotBelieveASequenceNumberBeyondThePublishersLast() {
        // Beyond what the publisher says, far and near, and in the middle of a batch.
        assertRejoins(message(BATCH, 11, data(11 + (1L << 32))));
        assertRejoins(message(BATCH, 11, data(12)));
        byte[] batch = Arrays.copyOf(data(11), 48);
        System.arraycopy(data(14), 0, batch, 24, 24);
        assertRejoins(batch(batch));
    }

    /** After messages 10 and perhaps 11 something comes that cannot be, and then, on the next connection, message 30. */
    private void assertRejoins(Message wrong) {
        Side rogue = newRogue();
        TopicRecorder recorder = subscribeTo(rogue);
        End first = awaitJoin(rogue, 1);
        sendAll(first, joined(5, 1024), message(BATCH, 10, data(10)), wrong);
        until(() -> recorder.disconnects().size() == 1, "the end of the stream");
        assertEquals(
                Reason.PROTOCOL_VIOLATION, recorder.disconnects().getFirst().reason());
        assertEquals(List.of(), recorder.gaps());
        End second = awaitJoin(rogue, 2);
        sendAll(second, joined(2, 5, 1024, 30), message(BATCH, 2, 30, data(30)));
        until(() -> recorder.last() == 30, "the stream after the second join");
        long missed = recorder.sequences().contains(11L) ? 12 : 11;
        assertEquals(List.of(new TopicRecorder.Gap(missed, 29, GapCause.DISCONNECTED)), recorder.gaps());
        assertEquals(List.of(), recorder.restarts());
        assertEquals(1, recorder.disconnects().size());
    }

    @Test
    @Semantics("P-87")
    void shouldDiscardAPositionBeyondThePublishersLast() {
        Side rogue = newRogue();
        TopicRecorder recorder = subscribeTo(rogue);
        End first = awaitJoin(rogue, 1);
        sendAll(first, joined(1, 5, 1024, 1L << 40), message(BATCH, 10, data(10)));
        until(() -> recorder.disconnects().size() == 1, "the end of the stream");
        End second = awaitJoin(rogue, 2);
        sendAll(second, joined(2, 5, 1024, 30), message(BATCH, 2, 30, data(30)), message(BATCH, 2, 31, data(31)));
        until(() -> recorder.last() == 31, "the stream after the second join");
        assertEquals(List.of(30L, 31L), recorder.sequences());
        assertEquals(List.of(0L), recorder.restarts());
        assertEquals(List.of(), recorder.gaps());
        assertEquals(1, recorder.disconnects().size());
    }

    @Test
    @Semantics("P-88")
    void shouldDeliverTheMessageAfterAGapWhoseEventThrows() {
        Side rogue = newRogue();
        Throwable thrown = Thrown.kinds().getFirst();
        List<String> told = new ArrayList<>();
        Subscriber subscriber = subscriber(client(), rogue.listener().address(), subscriberOptions());
        subscriber.subscribe(
                "numbers",
                SubscriptionOptions.defaults(),
                (topic, sequence, buffer, at, length) -> told.add("message " + sequence),
                new SubscriptionEvents() {
                    @Override
                    public void gap(Subscription subscription, long first, long last, GapCause cause) {
                        told.add("gap " + first + " to " + last);
                        throw Thrown.sneak(thrown);
                    }
                });
        End end = awaitJoin(rogue, 1);
        sendAll(end, joined(5, 1024), message(BATCH, 12, data(12)));
        until(() -> told.contains("message 12"), "the message after the gap");
        sendAll(end, message(BATCH, 13, data(13)));
        until(() -> told.contains("message 13"), "the next message");
        assertEquals(List.of("gap 10 to 11", "message 12", "message 13"), told);
    }

    /** A publisher of the case's own answers the first join with these messages. */
    private void assertLeaves(Message... messages) {
        Side rogue = newRogue();
        Subscriber subscriber = subscriber(client(), rogue.listener().address(), subscriberOptions());
        TopicRecorder recorder = new TopicRecorder(0);
        subscriber.subscribe(
                "numbers", SubscriptionOptions.defaults(), (topic, sequence, buffer, at, length) -> {}, recorder);
        End end = awaitJoin(rogue, 1);
        sendAll(end, messages);
        until(() -> rogue.events().ended(end.endpoint()), "the connection to end");
        until(() -> rogue.events().count(Event.Kind.CONNECTED) == 2, "the subscriber to try again");
        if (!recorder.joins().isEmpty()) {
            assertEquals(
                    Reason.PROTOCOL_VIOLATION, recorder.disconnects().getFirst().reason());
            String message = String.valueOf(recorder.disconnects().getFirst().getMessage());
            assertTrue(message.contains("topic=numbers"), message);
        }
        subscriber.close();
    }
}
