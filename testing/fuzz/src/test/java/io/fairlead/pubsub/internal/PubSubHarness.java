package io.fairlead.pubsub.internal;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.SnapshotOptions;
import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a subscriber asks a publisher, and what a publisher sends a subscriber. The first byte chooses. */
public final class PubSubHarness implements Harness {
    private static final int JOIN = 0;
    private static final int ANSWER = 1;
    private static final int STREAM = 2;
    private static final int SNAPSHOT = 3;
    private static final int CHOICES = 4;

    // Messages of a stream.
    private static final int BATCH = 0;
    private static final int REGION = 1;
    private static final int KINDS = 3;

    private static final int REGION_BYTES = 1024;
    private static final long MESSAGE_MAX = 1 << 16;
    private static final SubscriptionOptions OPTIONS =
            SubscriptionOptions.defaults().withMessageMax(MESSAGE_MAX);
    private static final SnapshotOptions VALUES = SnapshotOptions.lastValues(4, 100);
    private static final SnapshotOptions MESSAGES = SnapshotOptions.lastMessages(4, 100);
    private static final long EPOCH = 9;
    private static final byte UNREADABLE = 1;
    private static final byte UNMAPPED = 2;

    /** Read at their beginnings, and no further than they are long. */
    private final MemorySegment memory = Arena.global().allocate(8192, 64);

    private final Worker worker = proxy(Worker.class, (method, _) -> switch (method) {
        case "connect", "attach" -> null;
        default -> throw new UnsupportedOperationException(method);
    });
    private final Endpoint endpoint = proxy(Endpoint.class, (method, arguments) -> switch (method) {
        case "unpack" -> unpack((byte[]) arguments[0]);
        case "state" -> EndpointState.CONNECTED;
        default -> throw new UnsupportedOperationException(method);
    });
    /** What a publisher's regions hold: one batch, of message 1. */
    private final MemorySegment region = Arena.global().allocate(REGION_BYTES, 64);

    private final LiveSubscriber subscriber =
            LiveSubscriber.connect(worker, new InetSocketAddress("127.0.0.1", 1), SubscriberOptions.defaults());

    private interface Answers {
        Object answer(String method, Object[] arguments);
    }

    /** Stands in for what the streams of a connection call. */
    private static <T> T proxy(Class<T> type, Answers answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (_, method, arguments) -> answers.answer(method.getName(), arguments)));
    }

    /** A key of a region that is mapped, or is not, or no key. */
    private RemoteKey unpack(byte[] key) {
        if (key[0] == UNREADABLE) {
            throw new FairleadException(Reason.MALFORMED_KEY, "no key");
        }
        return proxy(RemoteKey.class, (method, _) -> switch (method) {
            case "mapped" -> key[0] == UNMAPPED ? Optional.empty() : Optional.of(region);
            case "close" -> null;
            default -> throw new UnsupportedOperationException(method);
        });
    }

    @Override
    public List<byte[]> seeds() {
        return List.of(
                Input.behind(
                        JOIN,
                        bytes(new JoinRequest(1, Wire.VERSION, StartAt.NEXT, true, true, 100, "reader", "prices")
                                .encode(memory))),
                Input.behind(
                        ANSWER,
                        joined(new JoinReply(EPOCH, 1, 100, 1024, Optional.of(VALUES), new byte[60]).encode(memory))),
                Input.behind(
                        ANSWER,
                        refused(Notice.encode(memory, new FairleadException(Reason.LIMIT_REACHED, "too many")))),
                Input.behind(STREAM, stream()),
                Input.behind(STREAM, places()),
                Input.behind(SNAPSHOT, Input.behind(0, snapshot(VALUES))),
                Input.behind(SNAPSHOT, Input.behind(1, snapshot(MESSAGES))));
    }

    private byte[] bytes(int length) {
        return memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private byte[] joined(int length) {
        return Input.behind(1, bytes(length));
    }

    private byte[] refused(int length) {
        return Input.behind(0, bytes(length));
    }

    private byte[] stream() {
        byte[] context = MessageContext.of(Map.of("a", "b")).encode();
        Wire.putHeader(memory, 0, Wire.FRAME_CONTEXT, context.length, 1);
        Wire.putBytes(memory, Wire.HEADER_BYTES, context);
        long at = Wire.frameBytes(context.length);
        Wire.putHeader(memory, at, Wire.FRAME_DATA, 8, 1);
        at += Wire.frameBytes(8);
        byte[] first = batch(1, at);
        Wire.putHeader(memory, 0, Wire.FRAME_LARGE, 8, 2);
        memory.set(Wire.LONG, Wire.HEADER_BYTES, 100);
        byte[] large = batch(2, Wire.LARGE_FRAME_BYTES + 100);
        Wire.putHeader(memory, 0, Wire.FRAME_DATA, 3, 5);
        return Input.join(first, large, batch(5, Wire.frameBytes(3)));
    }

    /** A region is offered, and a batch is read in it. */
    private byte[] places() {
        Wire.putHeader(region, 0, Wire.FRAME_DATA, 8, 1);
        memory.set(Wire.LONG, 0, 3);
        memory.set(Wire.LONG, 8, 0);
        byte[] offer = Input.join(new byte[] {REGION, 0, 16, 0}, bytes(16));
        byte[] place = {2, 1, (byte) Wire.frameBytes(8), 0, 0, 3};
        return Input.join(offer, place);
    }

    /** A batch: the topic's last sequence number, the length, and the frames. */
    private byte[] batch(int head, long length) {
        return Input.join(new byte[] {BATCH, (byte) head, (byte) length, (byte) (length >>> 8)}, bytes((int) length));
    }

    private byte[] snapshot(SnapshotOptions options) {
        int total = (int) SnapshotLayout.totalBytes(options);
        memory.asSlice(0, total).fill((byte) 0);
        memory.set(Wire.LONG, 0, SnapshotLayout.MARK);
        memory.set(Wire.LONG, SnapshotLayout.EPOCH_AT, EPOCH);
        for (int entry = 0; entry < options.entries(); entry++) {
            long at = SnapshotLayout.entryAt(options, entry);
            memory.set(Wire.LONG, at, 2);
            memory.set(Wire.LONG, at + SnapshotLayout.KEY_AT, entry);
            memory.set(Wire.LONG, at + SnapshotLayout.SEQUENCE_AT, entry + 1);
            memory.set(Wire.LONG, at + SnapshotLayout.LENGTH_AT, 8);
            memory.set(Wire.LONG, at + SnapshotLayout.CHECKSUM_AT, SnapshotLayout.checksum(memory, at, 2, 8));
        }
        return bytes(total);
    }

    @Override
    public void run(byte[] input) {
        Input in = new Input(input);
        try {
            switch (in.u8() % CHOICES) {
                case JOIN -> join(in.rest());
                case ANSWER -> answer(in);
                case STREAM -> read(in);
                default -> select(in);
            }
        } catch (Wire.Malformed malformed) {
            Expect.line(malformed.text());
        }
    }

    /** A segment that ends where the peer's bytes do. */
    private MemorySegment exactly(byte[] bytes) {
        int length = (int) Math.min(bytes.length, memory.byteSize());
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, length);
        return memory.asSlice(0, length);
    }

    private void join(byte[] bytes) throws Wire.Malformed {
        MemorySegment message = exactly(bytes);
        JoinRequest join = JoinRequest.decode(1, message, 0, message.byteSize());
        Expect.that(join.stream() >= 1 && join.stream() <= Wire.STREAM_MAX, "a stream without a number");
        Expect.line(join.subscriber() + ".");
        Expect.line(join.topic());
        int length = join.encode(memory);
        Expect.same(join, JoinRequest.decode(1, memory, 0, length), "a join means something else");
    }

    private void answer(Input in) throws Wire.Malformed {
        boolean isJoined = (in.u8() & 1) == 1;
        MemorySegment message = exactly(in.rest());
        if (isJoined) {
            JoinReply reply = JoinReply.decode(message, 0, message.byteSize(), 1);
            Expect.that(reply.batchBytes() <= 1 << 20, "a batch is longer than the longest");
            reply.snapshot().ifPresent(layout -> Expect.that(SnapshotLayout.totalBytes(layout) > 0, "no room"));
        } else {
            Expect.refusal(Notice.decode(message, 0, message.byteSize()), Reason.values());
        }
    }

    /** Batches arrive and are read, where they are or in a region that was offered. */
    private void read(Input in) throws Wire.Malformed {
        Delivered delivered = new Delivered();
        LiveSubscription subscription = new LiveSubscription(
                subscriber, "prices", OPTIONS, delivered::message, SubscriptionEvents.NONE, Demand.UNLIMITED);
        FrameReader frames = new FrameReader(subscription, endpoint);
        InPlaceIn inPlace = new InPlaceIn(endpoint);
        try {
            while (in.hasMore()) {
                int kind = in.u8() % KINDS;
                int head = in.u8();
                int length = in.u16();
                if (kind == BATCH) {
                    MemorySegment batch = exactly(in.bytes(length));
                    frames.open(batch, 0, batch.byteSize(), head);
                    readAll(frames);
                } else if (kind == REGION) {
                    MemorySegment offer = exactly(in.bytes(length));
                    inPlace.map(offer, 0, offer.byteSize());
                } else {
                    long at = (in.u8() & 7) * 8L;
                    InPlaceIn.Region place = inPlace.arrived(in.u8(), at, length);
                    frames.open(place.memory(), at, length, head);
                    readAll(frames);
                    inPlace.countRead(place);
                }
            }
        } finally {
            inPlace.retire();
        }
    }

    private static void readAll(FrameReader frames) throws Wire.Malformed {
        while (!frames.isDone()) {
            Expect.that(frames.read(1) == 1, "nothing is read of a batch that is not done");
        }
    }

    /** Messages come in order. */
    private static final class Delivered {
        private long last;

        void message(String topic, long sequence, MemorySegment buffer, long offset, long length) {
            Expect.that(sequence > last, "messages are not in order");
            Expect.that(length >= 0 && length <= MESSAGE_MAX, "a message is longer than the subscription accepts");
            Expect.that(offset + length <= buffer.byteSize(), "a message leaves its memory");
            last = sequence;
        }
    }

    private void select(Input in) throws Wire.Malformed {
        SnapshotOptions options = (in.u8() & 1) == 0 ? VALUES : MESSAGES;
        long total = SnapshotLayout.totalBytes(options);
        memory.asSlice(0, total).fill((byte) 0);
        byte[] bytes = in.rest();
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, (int) Math.min(bytes.length, total));
        memory.set(Wire.LONG, 0, SnapshotLayout.MARK);
        memory.set(Wire.LONG, SnapshotLayout.EPOCH_AT, EPOCH);
        SnapshotEntries entries = new SnapshotEntries(options, memory.asSlice(0, total));
        entries.select(EPOCH, 0, 5);
        for (int i = 0; i < entries.count(); i++) {
            Expect.that(entries.length(i) >= 0 && entries.length(i) <= options.valueMax(), "a value is too long");
            Expect.that(entries.valueAt(i) + entries.length(i) <= total, "a value leaves the snapshot");
            Expect.that(entries.sequence(i) > 0 && entries.sequence(i) < 5, "a value of another time");
        }
    }
}
