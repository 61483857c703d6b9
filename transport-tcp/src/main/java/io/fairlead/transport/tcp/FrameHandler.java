package io.fairlead.transport.tcp;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Works on one frame after the other: hands questions to those that answer them, and answers to those that asked. */
final class FrameHandler {
    private final TcpEndpoint endpoint;
    private final FrameReader reader;
    private final Messages messages;
    private final RegionServer server;
    private final GetSink getSink = new GetSink();
    private final int eagerMax;

    FrameHandler(TcpEndpoint endpoint, FrameReader reader) {
        this.endpoint = endpoint;
        this.reader = reader;
        this.messages = endpoint.messages;
        this.server = new RegionServer(endpoint);
        this.eagerMax = endpoint.host.eagerMax();
    }

    /** The longest payload that a frame of a type may have. */
    int payloadMax(int type) {
        return switch (type) {
            case Frame.EAGER, Frame.EAGER_SYNC -> eagerMax;
            case Frame.DATA, Frame.PUT, Frame.PUT_SIGNAL, Frame.GET_DATA -> Frame.CHUNK_MAX;
            case Frame.CONTROL -> Frame.CONTROL_MAX;
            default -> 0;
        };
    }

    /**
     * Works on a frame.
     *
     * @param first its first word, checked
     * @param at where it is in the receive buffer
     * @param available how many bytes there are behind its header
     * @return how many of those were used up; what else the payload has goes to the sink that the reader was told
     */
    int handle(long first, int at, int available) {
        MemorySegment buffer = reader.buffer();
        int type = Frame.type(first);
        int payload = (int) Frame.payload(first);
        switch (type) {
            case Frame.EAGER -> {
                return messages.eager(reader, word(at, 1), 0, payload, at + Frame.header(type), available);
            }
            case Frame.EAGER_SYNC -> {
                long id = id(type, word(at, 2));
                return messages.eager(reader, word(at, 1), id, payload, at + Frame.header(type), available);
            }
            case Frame.ANNOUNCE -> messages.announced(reader, word(at, 1), id(type, word(at, 2)), word(at, 3));
            case Frame.PULL -> pulled(word(at, 1), word(at, 2), word(at, 3));
            case Frame.DATA -> messages.data(reader, word(at, 1), payload);
            case Frame.MATCHED -> {
                Operation send = endpoint.sends.remove(endpoint.sends.find(type, word(at, 1), Entry.Kind.SYNCHRONOUS));
                send.complete(Status.OK, send.length());
            }
            case Frame.PUT, Frame.PUT_SIGNAL -> {
                return server.put(reader, at, type, payload, available);
            }
            case Frame.GET -> server.get(id(type, word(at, 1)), word(at, 2), word(at, 3), word(at, 4));
            case Frame.GET_DATA -> getSink.begin(word(at, 1), payload, Frame.flags(first) == Frame.LAST);
            case Frame.GET_REFUSED -> {
                Entry entry = endpoint.asked.find(type, word(at, 1), Entry.Kind.GET);
                endGet(entry, Status.REVOKED, 0);
            }
            case Frame.ATOMIC -> server.atomic(Frame.flags(first), id(type, word(at, 1)), buffer, at + 16);
            case Frame.ATOMIC_RESULT -> {
                Entry entry = endpoint.asked.find(type, word(at, 1), Entry.Kind.ATOMIC);
                boolean refused = Frame.flags(first) == Frame.REFUSED;
                endpoint.asked.complete(
                        entry, refused ? Status.REVOKED : Status.OK, Long.BYTES, refused ? 0 : word(at, 2));
            }
            case Frame.FLUSH -> server.flush(id(type, word(at, 1)));
            case Frame.FLUSHED -> {
                Entry entry = endpoint.asked.find(type, word(at, 1), Entry.Kind.FLUSH);
                endpoint.asked.flushed(entry, Frame.flags(first) == Frame.REFUSED);
            }
            default -> endpoint.host.control(reader.bytes(at + Frame.header(type), payload));
        }
        return 0;
    }

    private long word(int at, int index) {
        return Frame.word(reader.buffer(), at + 8L * index);
    }

    private static long id(int type, long id) {
        if (id <= 0 || id > Frame.ID_MAX) {
            throw Frame.violation(Frame.name(type), "id", id, "1 to " + Frame.ID_MAX);
        }
        return id;
    }

    private static Operation operation(Entry entry) {
        return Objects.requireNonNull(entry.operation, "operation");
    }

    /** The receiver has matched an announced send and wants so many bytes of it. */
    private void pulled(long id, long receiveId, long wanted) {
        Entry entry = endpoint.sends.find(Frame.PULL, id, Entry.Kind.ANNOUNCED);
        Operation send = operation(entry);
        if (wanted < 0 || wanted > send.length()) {
            throw Frame.violation("PULL", "length", wanted, "0 to " + send.length() + " bytes");
        }
        if (wanted == 0) {
            endpoint.sends.remove(entry).complete(Status.OK, send.length());
            return;
        }
        entry.kind = Entry.Kind.PULLED;
        entry.detail = receiveId;
        entry.length = wanted;
        endpoint.streams.send(entry);
        endpoint.markDirty();
    }

    private void endGet(Entry entry, Status status, long length) {
        endpoint.asked.complete(entry, status, length, 0);
        endpoint.remote.getEnded();
    }

    /** Puts the data of a get into its buffer. */
    private final class GetSink implements Sink {
        private @Nullable Entry entry;
        private boolean isLast;

        void begin(long id, int length, boolean last) {
            Entry named = endpoint.asked.find(Frame.GET_DATA, id, Entry.Kind.GET);
            Operation get = operation(named);
            long left = get.length() - get.word;
            if (last ? length != left : length >= left) {
                throw Frame.violation(
                        "GET_DATA", "payload", length, last ? left + " bytes in the last one" : "less than " + left);
            }
            entry = named;
            isLast = last;
            reader.receive(this, length);
        }

        private Operation get() {
            return operation(Objects.requireNonNull(entry, "entry"));
        }

        @Override
        public void take(MemorySegment source, int at, int count) {
            Operation get = get();
            MemorySegment.copy(source, at, get.buffer(), get.offset() + get.word, count);
            get.word += count;
        }

        @Override
        public ByteBuffer target(int missing) {
            Operation get = get();
            return endpoint.worker.views().view(get.buffer(), get.offset() + get.word, missing);
        }

        @Override
        public void filled(int count) {
            get().word += count;
        }

        @Override
        public void end() {
            Entry ended = Objects.requireNonNull(entry, "entry");
            entry = null;
            if (isLast) {
                endGet(ended, Status.OK, operation(ended).length());
            }
        }

        @Override
        public void abandon() {
            entry = null;
        }
    }
}
