package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Peers that break the protocol of publish-subscribe: their connection ends with a reason, and no other is affected. */
public class PubSubProtocolContract extends PubSubCases {
    private static final long CONTROL = 0xBL << 44;
    private static final long STREAM_ONE = 0xCL << 44 | 1L << 32;
    private static final long LARGE_ONE = 0xDL << 44 | 1L << 32;
    private static final long KIND_AND_STREAM = 0xFFFF_0000_0000L;

    /** Creates the suite. */
    protected PubSubProtocolContract() {}

    private static byte[] wire(int size, Consumer<ByteBuffer> writer) {
        byte[] bytes = new byte[size];
        writer.accept(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        return bytes;
    }

    private static byte[] ints(int... words) {
        return wire(4 * words.length, buffer -> {
            for (int word : words) {
                buffer.putInt(word);
            }
        });
    }

    private static byte[] subscribe(int stream, int version, String topic) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        return wire(
                32 + name.length,
                buffer -> buffer.putInt(1)
                        .putInt(stream)
                        .putInt(version)
                        .putInt(0)
                        .putLong(1L << 30)
                        .putInt(0)
                        .putInt(name.length)
                        .put(name));
    }

    private static byte[] credit(int stream, long granted, long consumed) {
        return wire(
                24, buffer -> buffer.putInt(2).putInt(stream).putLong(granted).putLong(consumed));
    }

    private static byte[] read(int stream, long mapped, long batches) {
        return wire(
                24, buffer -> buffer.putInt(4).putInt(stream).putLong(mapped).putLong(batches));
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
        List<byte[]> malformed = List.of(
                new byte[0],
                new byte[7],
                new byte[513],
                new byte[100_000],
                ints(0, 1),
                ints(4, 1),
                ints(5, 1),
                ints(1, 1),
                ints(2, 1),
                subscribe(0, 1, "numbers"),
                subscribe(4096, 1, "numbers"),
                subscribe(1, 1, "numbers"),
                subscribe(2, 1, ""),
                subscribe(2, 1, "num\u0007bers"),
                credit(1, -1, 0),
                credit(1, 1L << 40, 0),
                credit(1, 1, 1L << 40),
                read(1, 0, 1),
                read(1, 1, 0));
        Side hostile = newSide("hostile");
        for (byte[] message : malformed) {
            End end = connect(hostile, publisher);
            end.send(segment(subscribe(1, 1, "numbers")), CONTROL);
            until(() -> topic.subscriberCount() == 2, "the hostile subscriber to have joined");
            end.send(segment(message), CONTROL);
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
        MemorySegment answer = buffer(4096);
        long request = end.receive(answer, STREAM_ONE, KIND_AND_STREAM);
        end.send(segment(subscribe(1, 2, "numbers")), CONTROL);
        until(() -> other.recorder().has(request), "the refusal");
        long length = other.recorder().outcome(request).length();
        byte[] text = answer.asSlice(24, length - 24).toArray(ValueLayout.JAVA_BYTE);
        String message = new String(text, StandardCharsets.UTF_8);
        assertTrue(message.contains("subscriber=2, publisher=1"), message);
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
                if (noise.length >= 8 && random.nextBoolean()) {
                    System.arraycopy(ints(1 + random.nextInt(3), 1 + random.nextInt(5)), 0, noise, 0, 8);
                }
                long posted = end.endpoint().send(segment(noise), 0, noise.length, CONTROL, request -> {}, 0);
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

    private static byte[] joined(long epoch, int batchBytes) {
        return joined(epoch, batchBytes, 10);
    }

    private static byte[] joined(long epoch, int batchBytes, long nextSequence) {
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
        return frame(40, 3, nextSequence, payload);
    }

    private static byte[] place(long region, long offset, long length) {
        return wire(24, buffer -> buffer.putLong(region).putLong(offset).putLong(length));
    }

    private static byte[] data(long sequence) {
        return frame(8, 1, sequence, new byte[8]);
    }

    @Test
    @Semantics("P-83")
    void shouldLeaveAPublisherThatSendsSomethingMalformed() {
        byte[] good = joined(5, 1024);
        byte[] large = wire(8, buffer -> buffer.putLong(40));
        byte[] tooLarge = wire(8, buffer -> buffer.putLong(1L << 40));
        assertLeaves(new byte[0]);
        assertLeaves(new byte[15]);
        assertLeaves(new byte[5000]);
        assertLeaves(frame(0, 1, 10, new byte[0]));
        assertLeaves(joined(0, 1024));
        assertLeaves(joined(5, 100));
        assertLeaves(joined(5, 2 << 20));
        assertLeaves(good, new byte[0]);
        assertLeaves(good, new byte[8]);
        assertLeaves(good, new byte[2048]);
        assertLeaves(good, new byte[25]);
        assertLeaves(good, frame(-1, 1, 10, new byte[8]));
        assertLeaves(good, frame(9, 1, 10, new byte[8]));
        assertLeaves(good, frame(Integer.MAX_VALUE, 1, 10, new byte[8]));
        assertLeaves(good, frame(8, 9, 10, new byte[8]));
        assertLeaves(good, frame(8, 1 << 16 | 1, 10, new byte[8]));
        assertLeaves(good, frame(8, 1, 9, new byte[8]));
        assertLeaves(good, frame(8, 1, -1, new byte[8]));
        assertLeaves(good, frame(8, 1, 10, new byte[8]), frame(8, 1, 10, new byte[8]));
        assertLeaves(good, frame(40, 3, 10, new byte[40]));
        assertLeaves(good, frame(0, 6, 10, new byte[0]));
        assertLeaves(good, frame(1, 6, 10, new byte[] {1}));
        assertLeaves(good, frame(2, 6, 10, new byte[] {0, 0}));
        assertLeaves(good, frame(7, 6, 10, new byte[] {1, 1, 'a', 1, 0, 7}));
        assertLeaves(good, frame(0, 5, 0, new byte[0]));
        assertLeaves(good, frame(8, 5, 0, wire(8, buffer -> buffer.putLong(99))));
        assertLeaves(good, frame(8, 7, 0, new byte[8]));
        assertLeaves(good, frame(40, 7, 0, wire(40, buffer -> buffer.putLong(1L << 40))));
        assertLeaves(good, frame(40, 7, 0, new byte[40]));
        assertLeaves(good, frame(24, 8, 10, place(0, 0, 24)));
        assertLeaves(good, frame(24, 8, 10, place(-1, 0, 24)));
        assertLeaves(good, frame(24, 8, 10, place(0, 0, 1 << 20)));
        assertLeaves(good, frame(16, 8, 10, new byte[16]));
        assertLeaves(good, frame(8, 2, 10, tooLarge));
        assertLeaves(good, frame(16, 2, 10, new byte[16]));
        assertLeaves(good, frame(8, 2, 10, large), new byte[41]);
        assertLeaves(good, frame(8, 2, 10, large), new byte[39]);
    }

    /** The connection of that number to a publisher of the case's own, on which a subscriber has asked to join. */
    private End awaitJoin(Side rogue, int connection) {
        until(() -> rogue.events().count(Event.Kind.CONNECTED) == connection, "the subscriber to connect");
        End end = new End(rogue, rogue.events().lastConnected());
        long request = end.receive(buffer(512), CONTROL, KIND_AND_STREAM);
        until(() -> rogue.recorder().has(request), "the join");
        return end;
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
        // A bit beyond the ones in the tag, one within them, and one in the middle of a batch.
        assertRejoins(STREAM_ONE | 11, data(11 + (1L << 32)));
        assertRejoins(STREAM_ONE | 11, data(11 + (1L << 20)));
        byte[] batch = Arrays.copyOf(data(11), 48);
        System.arraycopy(data(14), 0, batch, 24, 24);
        assertRejoins(STREAM_ONE | 20, batch);
    }

    /** After messages 10 and perhaps 11 something comes that cannot be, and then, on the next connection, message 30. */
    private void assertRejoins(long tag, byte[] wrong) {
        Side rogue = newSide("rogue");
        TopicRecorder recorder = subscribeTo(rogue);
        End first = awaitJoin(rogue, 1);
        first.send(segment(joined(5, 1024)), STREAM_ONE | 9);
        first.send(segment(data(10)), STREAM_ONE | 10);
        first.send(segment(wrong), tag);
        until(() -> recorder.disconnects().size() == 1, "the end of the stream");
        assertEquals(
                Reason.PROTOCOL_VIOLATION, recorder.disconnects().getFirst().reason());
        assertEquals(List.of(), recorder.gaps());
        End second = awaitJoin(rogue, 2);
        long streamTwo = STREAM_ONE + (1L << 32);
        second.send(segment(joined(5, 1024, 30)), streamTwo | 29);
        second.send(segment(data(30)), streamTwo | 30);
        until(() -> recorder.last() == 30, "the stream after the second join");
        long missed = recorder.sequences().contains(11L) ? 12 : 11;
        assertEquals(List.of(new TopicRecorder.Gap(missed, 29, GapCause.DISCONNECTED)), recorder.gaps());
        assertEquals(List.of(), recorder.restarts());
        assertEquals(1, recorder.disconnects().size());
    }

    @Test
    @Semantics("P-87")
    void shouldDiscardAPositionBeyondThePublishersLast() {
        Side rogue = newSide("rogue");
        TopicRecorder recorder = subscribeTo(rogue);
        End first = awaitJoin(rogue, 1);
        first.send(segment(joined(5, 1024, 1L << 40)), STREAM_ONE);
        first.send(segment(data(10)), STREAM_ONE | 10);
        until(() -> recorder.disconnects().size() == 1, "the end of the stream");
        End second = awaitJoin(rogue, 2);
        long streamTwo = STREAM_ONE + (1L << 32);
        second.send(segment(joined(5, 1024, 30)), streamTwo | 29);
        second.send(segment(data(30)), streamTwo | 30);
        second.send(segment(data(31)), streamTwo | 31);
        until(() -> recorder.last() == 31, "the stream after the second join");
        assertEquals(List.of(30L, 31L), recorder.sequences());
        assertEquals(List.of(0L), recorder.restarts());
        assertEquals(List.of(), recorder.gaps());
        assertEquals(1, recorder.disconnects().size());
    }

    @Test
    @Semantics("P-88")
    void shouldDeliverTheMessageAfterAGapWhoseEventThrows() {
        Side rogue = newSide("rogue");
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
        end.send(segment(joined(5, 1024)), STREAM_ONE | 9);
        end.send(segment(data(12)), STREAM_ONE | 12);
        until(() -> told.contains("message 12"), "the message after the gap");
        end.send(segment(data(13)), STREAM_ONE | 13);
        until(() -> told.contains("message 13"), "the next message");
        assertEquals(List.of("gap 10 to 11", "message 12", "message 13"), told);
    }

    /** A publisher of the case's own answers the first join with these messages; the last goes to the large tag after a large frame. */
    private void assertLeaves(byte[]... messages) {
        Side rogue = newSide("rogue");
        Subscriber subscriber = subscriber(client(), rogue.listener().address(), subscriberOptions());
        TopicRecorder recorder = new TopicRecorder(0);
        subscriber.subscribe(
                "numbers", SubscriptionOptions.defaults(), (topic, sequence, buffer, at, length) -> {}, recorder);
        End end = awaitJoin(rogue, 1);
        for (int i = 0; i < messages.length; i++) {
            boolean payload = i > 1 && messages[i - 1][4] == 2;
            end.send(segment(messages[i]), payload ? LARGE_ONE : STREAM_ONE);
        }
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
