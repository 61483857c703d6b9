package io.fairlead.pubsub.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
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
import java.util.ArrayDeque;
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

    private static final int SLOT_BYTES = 1024;
    private static final int SLOTS = 4;
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

    private final ArrayDeque<Receive> posted = new ArrayDeque<>();
    private final Worker worker = proxy(Worker.class, (method, _) -> switch (method) {
        case "cancel" -> true;
        case "connect", "attach" -> null;
        default -> throw new UnsupportedOperationException(method);
    });
    private final Endpoint endpoint = proxy(Endpoint.class, (method, arguments) -> switch (method) {
        case "receive" -> {
            posted.add(new Receive(
                    (MemorySegment) arguments[0],
                    (long) arguments[1],
                    (long) arguments[2],
                    (Completion) arguments[5],
                    (long) arguments[6]));
            yield (long) posted.size();
        }
        case "worker" -> worker;
        case "unpack" -> unpack((byte[]) arguments[0]);
        default -> throw new UnsupportedOperationException(method);
    });
    /** What a publisher's regions hold: one batch, of message 1. */
    private final MemorySegment region = Arena.global().allocate(SLOT_BYTES, 64);

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

    private record Receive(MemorySegment memory, long offset, long length, Completion completion, long userData) {}

    /** A receive that has ended. */
    private record Received(long tag, long length, long userData) implements Request {
        @Override
        public long id() {
            return 1;
        }

        @Override
        public Status status() {
            return Status.OK;
        }

        @Override
        public Optional<Endpoint> source() {
            return Optional.empty();
        }

        @Override
        public long value() {
            return 0;
        }
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
                        bytes(new JoinReply(EPOCH, 1, 100, 1024, Optional.of(VALUES), new byte[60]).encode(memory))),
                Input.behind(
                        ANSWER,
                        bytes(Notice.encode(
                                memory, Wire.FRAME_REFUSED, new FairleadException(Reason.LIMIT_REACHED, "too many")))),
                Input.behind(STREAM, stream()),
                Input.behind(STREAM, places()),
                Input.behind(SNAPSHOT, Input.behind(0, snapshot(VALUES))),
                Input.behind(SNAPSHOT, Input.behind(1, snapshot(MESSAGES))));
    }

    private byte[] bytes(int length) {
        return memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private byte[] stream() {
        byte[] context = MessageContext.of(Map.of("a", "b")).encode();
        Wire.putHeader(memory, 0, Wire.FRAME_CONTEXT, context.length, 1);
        Wire.putBytes(memory, Wire.HEADER_BYTES, context);
        long at = Wire.frameBytes(context.length);
        Wire.putHeader(memory, at, Wire.FRAME_DATA, 8, 1);
        at += Wire.frameBytes(8);
        Wire.putHeader(memory, at, Wire.FRAME_LARGE, 8, 2);
        memory.set(Wire.LONG, at + Wire.HEADER_BYTES, 100);
        at += Wire.frameBytes(8);
        byte[] first = batch(2, at);
        Wire.putHeader(memory, 0, Wire.FRAME_DATA, 3, 5);
        int end = (int) Wire.frameBytes(3);
        int notice = Notice.encode(
                memory.asSlice(end), Wire.FRAME_END, new FairleadException(Reason.CLOSED, "topic closed"));
        return Input.join(first, batch(100, 100), batch(5, end + notice));
    }

    /** A region is offered, and a batch is read in it. */
    private byte[] places() {
        Wire.putHeader(region, 0, Wire.FRAME_DATA, 8, 1);
        Wire.putHeader(memory, 0, Wire.FRAME_REGION, 16, 0);
        memory.set(Wire.LONG, Wire.HEADER_BYTES, 3);
        memory.set(Wire.LONG, Wire.HEADER_BYTES + 8, 0);
        byte[] offer = batch(0, Wire.frameBytes(16));
        Wire.putHeader(memory, 0, Wire.FRAME_PLACE, Wire.PLACE_BYTES, 1);
        memory.set(Wire.LONG, Wire.HEADER_BYTES, 3);
        memory.set(Wire.LONG, Wire.HEADER_BYTES + 8, 0);
        memory.set(Wire.LONG, Wire.HEADER_BYTES + 16, Wire.frameBytes(8));
        return Input.join(offer, batch(1, Wire.frameBytes(Wire.PLACE_BYTES)));
    }

    /** A message of a stream: the topic's last sequence number, the length, and the frames. */
    private byte[] batch(int head, long length) {
        return Input.join(new byte[] {(byte) head, (byte) length, (byte) (length >>> 8)}, bytes((int) length));
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
                case ANSWER -> answer(in.rest());
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
        JoinRequest join = JoinRequest.decode(message, message.byteSize());
        Expect.that(join.stream() >= 1 && join.stream() <= Wire.STREAM_MAX, "a stream without a number");
        Expect.line(join.subscriber() + ".");
        Expect.line(join.topic());
        int length = join.encode(memory);
        Expect.same(join, JoinRequest.decode(memory, length), "a join means something else");
    }

    private void answer(byte[] bytes) throws Wire.Malformed {
        MemorySegment message = exactly(bytes);
        long length = message.byteSize();
        if (length < Wire.HEADER_BYTES) {
            return;
        }
        long word = message.get(Wire.LONG, 0);
        int payload = Wire.payloadLength(word);
        if (payload < 0 || Wire.frameBytes(payload) != length) {
            return;
        }
        if (Wire.frameKind(word) == Wire.FRAME_JOINED) {
            JoinReply reply = JoinReply.decode(message, Wire.HEADER_BYTES, payload, message.get(Wire.LONG, 8));
            Expect.that(reply.batchBytes() <= 1 << 20, "a batch is longer than the longest");
            reply.snapshot().ifPresent(layout -> Expect.that(SnapshotLayout.totalBytes(layout) > 0, "no room"));
        } else {
            Expect.refusal(Notice.decode(message, Wire.HEADER_BYTES, payload), Reason.values());
        }
    }

    /** Messages arrive in the slots of a stream and are read. */
    private void read(Input in) throws Wire.Malformed {
        posted.clear();
        Delivered delivered = new Delivered();
        LiveSubscription subscription = new LiveSubscription(
                subscriber, "prices", OPTIONS, delivered::message, SubscriptionEvents.NONE, Demand.UNLIMITED);
        Slots slots = new Slots(endpoint, Wire.streamTag(1), SLOTS, SLOT_BYTES, subscription::head);
        FrameReader frames = new FrameReader(
                subscription, slots, new LargeReceive(endpoint, Wire.largeTag(1)), new InPlaceIn(endpoint, 1), 0);
        try {
            slots.post();
            while (in.hasMore() && frames.end() == null) {
                int head = in.u8();
                arrive(posted.removeFirst(), head, in.bytes(in.u16()));
                frames.read(Integer.MAX_VALUE);
                slots.post();
                if (posted.isEmpty()) {
                    // As many messages as there was credit for wait for a large one.
                    break;
                }
            }
        } finally {
            frames.retire();
            // What was withdrawn ends, and its memory goes.
            posted.forEach(receive -> receive.completion.completed(new Received(0, 0, receive.userData)));
        }
    }

    private static void arrive(Receive receive, int head, byte[] bytes) {
        int length = (int) Math.min(bytes.length, receive.length);
        MemorySegment.copy(bytes, 0, receive.memory, ValueLayout.JAVA_BYTE, receive.offset, length);
        receive.completion.completed(
                new Received(Wire.streamTag(1) | head, Math.max(length, bytes.length), receive.userData));
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
