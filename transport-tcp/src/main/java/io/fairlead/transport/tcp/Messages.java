package io.fairlead.transport.tcp;

import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EagerPool;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Incoming messages. A matched message goes into the buffer of its receive. An unmatched eager one is kept in
 * the {@link EagerPool}, a longer one stays at its sender.
 *
 * <p>For a kept arrival the attachment is the slab with its bytes, and the word has the id of a synchronous send and
 * the number of the block in the slab. For an announced one the attachment is {@link #AT_SENDER} and the word is the
 * send's id.
 */
final class Messages {
    private static final Object AT_SENDER = new Object();
    private static final int BLOCK_BITS = 16;

    private final TcpEndpointOwner endpoint;
    private final EndpointHost host;
    private final Answers answers;
    private final ViewCache views;
    private final EagerPool pool;
    /** Matched receives whose data was requested; null before the first. */
    private @Nullable OperationTable pulled;

    /** Null before the first message that arrives in pieces. */
    private @Nullable EagerSink eagerSink;

    /** Null before the first data that was requested. */
    private @Nullable DataSink dataSink;

    Messages(TcpEndpointOwner endpoint, EndpointHost host, Answers answers, WorkerMemory memory) {
        this.endpoint = endpoint;
        this.host = host;
        this.answers = answers;
        this.views = memory.views();
        this.pool = memory.eagerPool();
    }

    /**
     * Handles an eager message.
     *
     * @param reader the caller
     * @param tag its tag
     * @param id the id of a synchronous send, or 0
     * @param length its length
     * @param at the payload's position in the receive buffer
     * @param available the number of received bytes from there on
     * @return the number of consumed bytes
     */
    int eager(TcpFrameReader reader, long tag, long id, int length, int at, int available) {
        // First of all: without memory for it, nothing has been taken out of matching.
        EagerSink pieces = length <= available ? null : eagerSink();
        Arrival arrival = host.arrived(tag, length, Arrival.Place.EAGER);
        if (arrival == null) {
            reader.ignoreRest();
            return 0;
        }
        Operation receive = arrival.operation();
        if (receive != null && id != 0) {
            answers.answer(TcpFrame.MATCHED, id, 0, 0);
        }
        if (receive != null && pieces == null) {
            long room = Math.min(length, receive.length());
            try {
                MemorySegment.copy(reader.buffer(), at, receive.buffer(), receive.offset(), room);
            } catch (IllegalStateException closed) {
                // It is out of matching, so it would never end.
                endpoint.failMemoryClosed(closed);
                receive.complete(Status.CANCELLED, 0);
                return length;
            }
            receive.complete(Status.OK, length);
            return length;
        }
        if (receive == null) {
            EagerPool.Slab slab = pool.take(length);
            arrival.attachment = slab;
            arrival.word = id << BLOCK_BITS | slab.taken();
            if (pieces == null) {
                MemorySegment.copy(reader.buffer(), at, slab.memory(), slab.offset(slab.taken()), length);
                arrival.markWhole();
                return length;
            }
        }
        EagerSink rest = Objects.requireNonNull(pieces, "pieces");
        rest.begin(arrival, length);
        reader.receive(rest, length);
        return 0;
    }

    private EagerSink eagerSink() {
        EagerSink known = eagerSink;
        if (known == null) {
            known = new EagerSink();
            eagerSink = known;
        }
        return known;
    }

    void announced(TcpFrameReader reader, long tag, long id, long length) {
        int eagerMax = host.eagerMax();
        if (length <= eagerMax) {
            throw TcpFrame.violation("ANNOUNCE", "length", length, "more than " + eagerMax + " bytes");
        }
        Arrival arrival = host.arrived(tag, length, Arrival.Place.SENDER);
        if (arrival == null) {
            reader.ignoreRest();
            return;
        }
        Operation receive = arrival.operation();
        if (receive != null) {
            pull(id, length, receive);
        } else {
            arrival.attachment = AT_SENDER;
            arrival.word = id;
        }
    }

    /**
     * Handles an eager active message, as {@link #eager} does a tagged one.
     *
     * @param target the handler number and the header's length
     * @param length bytes of header and payload together
     */
    int active(TcpFrameReader reader, long target, int length, int at, int available) {
        TcpFrame.checkTarget(TcpFrame.ACTIVE, target, length);
        int number = TcpFrame.number(target);
        int headerLength = TcpFrame.headerLength(target);
        if (length <= available) {
            if (host.tryTakeActive(number, headerLength, reader.buffer(), at, length)) {
                return length;
            }
            reader.ignoreRest();
            return 0;
        }
        EagerSink pieces = eagerSink();
        Arrival arrival = host.activeArrived(number, headerLength, length);
        if (arrival == null) {
            reader.ignoreRest();
            return 0;
        }
        pieces.begin(arrival, length);
        reader.receive(pieces, length);
        return 0;
    }

    /** Handles an active message whose payload is at the sender; its header is in the receive buffer. */
    void activeAnnounced(TcpFrameReader reader, long target, long id, long length, int at, int headerLength) {
        TcpFrame.checkTarget(TcpFrame.ACTIVE_ANNOUNCE, target, headerLength);
        if (TcpFrame.headerLength(target) != headerLength) {
            throw TcpFrame.violation("ACTIVE_ANNOUNCE", "payload", headerLength, "the header's length alone");
        }
        Arrival arrival = host.activeAnnounced(TcpFrame.number(target), reader.buffer(), at, headerLength, length);
        if (arrival == null) {
            reader.ignoreRest();
            return;
        }
        arrival.attachment = AT_SENDER;
        arrival.word = id;
    }

    /** Requests from the sender as many bytes as the receive has capacity for. */
    private void pull(long id, long length, Operation receive) {
        long wanted = Math.min(length, receive.length());
        if (wanted == 0) {
            answers.answer(TcpFrame.PULL, id, 0, 0);
            receive.complete(Status.OK, length);
            return;
        }
        OperationTable table = pulled;
        if (table == null) {
            table = new OperationTable(TcpFrame.ASKED_MAX);
            pulled = table;
        }
        if (table.isFull()) {
            throw TcpFrame.violation("ANNOUNCE", "open messages", table.size(), "fewer than " + TcpFrame.ASKED_MAX);
        }
        PendingOperation entry = table.add(PendingOperation.Kind.RECEIVE, receive);
        entry.length = wanted;
        entry.detail = length;
        answers.answer(TcpFrame.PULL, id, entry.id, wanted);
    }

    void data(TcpFrameReader reader, long id, int length) {
        OperationTable table = pulled;
        if (table == null) {
            throw OperationTable.unknown(TcpFrame.DATA, id);
        }
        PendingOperation entry = table.find(TcpFrame.DATA, id, PendingOperation.Kind.RECEIVE);
        Operation receive = receive(entry);
        if (length == 0 || length > entry.length - receive.word) {
            throw TcpFrame.violation("DATA", "payload", length, "1 to " + (entry.length - receive.word) + " bytes");
        }
        DataSink sink = dataSink;
        if (sink == null) {
            sink = new DataSink();
            dataSink = sink;
        }
        sink.entry = entry;
        sink.table = table;
        reader.receive(sink, length);
    }

    void deliver(Arrival arrival) {
        Operation receive = Objects.requireNonNull(arrival.operation(), "a delivered arrival has an operation");
        if (!(arrival.attachment instanceof EagerPool.Slab slab)) {
            pull(arrival.word, arrival.length(), receive);
            return;
        }
        long id = arrival.word >>> BLOCK_BITS;
        int block = block(arrival);
        long length = arrival.length();
        EagerSink sink = receiving(arrival);
        boolean isWhole = sink == null;
        long here = sink == null ? length : sink.received;
        MemorySegment.copy(
                slab.memory(),
                slab.offset(block),
                receive.buffer(),
                receive.offset(),
                Math.min(here, receive.length()));
        pool.giveBack(slab, block);
        arrival.attachment = null;
        if (id != 0 && !endpoint.isClosed()) {
            answers.answer(TcpFrame.MATCHED, id, 0, 0);
        }
        if (isWhole) {
            receive.complete(Status.OK, length);
        }
    }

    void discard(Arrival arrival) {
        if (arrival.attachment instanceof EagerPool.Slab slab) {
            pool.giveBack(slab, block(arrival));
            arrival.attachment = null;
        }
        EagerSink sink = receiving(arrival);
        if (sink != null) {
            sink.forget();
        }
    }

    /** The sink of a message, if some of its pieces are missing. */
    private @Nullable EagerSink receiving(Arrival arrival) {
        EagerSink sink = eagerSink;
        return sink != null && sink.isReceiving(arrival) ? sink : null;
    }

    void close() {
        if (pulled != null) {
            pulled.close();
        }
    }

    private static int block(Arrival arrival) {
        return (int) arrival.word & ((1 << BLOCK_BITS) - 1);
    }

    private static Operation receive(PendingOperation entry) {
        return Objects.requireNonNull(entry.operation, "operation");
    }

    /**
     * Receives an eager message in pieces: into the pool until a receive matches it, then into the receive's buffer.
     * Once the message is discarded, the rest is dropped: the arrival is already another message's.
     */
    private final class EagerSink implements Sink {
        private @Nullable Arrival arrival;
        private int length;
        private int received;

        void begin(Arrival newArrival, int newLength) {
            arrival = newArrival;
            length = newLength;
            received = 0;
        }

        // Arrivals are pooled, so only identity is meaningful.
        @SuppressWarnings("ReferenceEquality")
        boolean isReceiving(Arrival asked) {
            return arrival == asked;
        }

        void forget() {
            arrival = null;
        }

        @Override
        public void take(MemorySegment source, int at, int count) {
            Arrival open = arrival;
            if (open == null) {
                return;
            }
            Operation receive = open.operation();
            if (receive != null) {
                long room = Math.min(receive.length() - received, count);
                if (room > 0) {
                    MemorySegment.copy(source, at, receive.buffer(), receive.offset() + received, room);
                }
            } else if (open.attachment instanceof EagerPool.Slab slab) {
                MemorySegment.copy(source, at, slab.memory(), slab.offset(block(open)) + received, count);
            }
            received += count;
        }

        @Override
        public @Nullable ByteBuffer target(int missing) {
            Operation receive = arrival == null ? null : arrival.operation();
            long room = receive == null ? 0 : receive.length() - received;
            if (receive == null || room <= 0) {
                return null;
            }
            return views.view(receive.buffer(), receive.offset() + received, Math.min(missing, room));
        }

        @Override
        public void filled(int count) {
            received += count;
        }

        @Override
        public void end() {
            Arrival ended = arrival;
            if (ended == null) {
                return;
            }
            arrival = null;
            Operation receive = ended.operation();
            if (receive != null) {
                receive.complete(Status.OK, length);
            } else {
                ended.markWhole();
            }
        }

        @Override
        public void abandon() {
            Arrival lost = arrival;
            if (lost == null) {
                return;
            }
            arrival = null;
            Operation receive = lost.operation();
            if (receive != null) {
                receive.complete(Status.CANCELLED, 0);
            } else {
                discard(lost);
            }
        }
    }

    /** Receives the data of a pulled message into the buffer of its receive. */
    private final class DataSink implements Sink {
        private @Nullable OperationTable table;
        private @Nullable PendingOperation entry;

        private PendingOperation entry() {
            return Objects.requireNonNull(entry, "entry");
        }

        @Override
        public void take(MemorySegment source, int at, int count) {
            Operation receive = receive(entry());
            MemorySegment.copy(source, at, receive.buffer(), receive.offset() + receive.word, count);
            receive.word += count;
        }

        @Override
        public ByteBuffer target(int missing) {
            Operation receive = receive(entry());
            return views.view(receive.buffer(), receive.offset() + receive.word, missing);
        }

        @Override
        public void filled(int count) {
            receive(entry()).word += count;
        }

        @Override
        public void end() {
            PendingOperation open = entry();
            entry = null;
            if (receive(open).word == open.length) {
                Objects.requireNonNull(table, "table").remove(open).complete(Status.OK, open.detail);
            }
        }

        @Override
        public void abandon() {
            entry = null;
        }
    }
}
