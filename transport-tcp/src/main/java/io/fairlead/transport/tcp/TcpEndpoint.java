package io.fairlead.transport.tcp;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Connection;
import io.fairlead.spi.ControlCarrier;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.Selectable;
import io.fairlead.spi.WorkerHost;
import io.fairlead.spi.served.ServedMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** One endpoint: a connection, its outgoing queue, and its partially received frame. */
final class TcpEndpoint implements ControlCarrier, Selectable, TcpEndpointOwner {
    /** The worker's lists of endpoints. */
    interface Lists {
        /** The endpoint has something to write. */
        void addDirty(TcpEndpoint endpoint);

        /** The endpoint has something to read. */
        void addReady(TcpEndpoint endpoint);

        /** The endpoint is closed. */
        void remove(TcpEndpoint endpoint);
    }

    /** Posts are written before the next progress once this number of bytes is queued. */
    private static final int WRITE_AT = 64 << 10;
    /** Maximum bytes that an endpoint may write before others have their turn. */
    private static final long WRITE_BUDGET = 2 << 20;

    final SendQueue queue;

    private final Lists lists;
    private final EndpointHost host;
    /** Sends that wait for their receiver. */
    private final OperationTable sends = new OperationTable(TcpFrame.ASKED_MAX);

    private final Answers answers;
    private final Messages messages;
    private final Streams streams;
    private final Connection connection;
    private final Selector selector;
    private final TcpFrameReader reader;
    private final int eagerMax;

    /** The worker's data: the index in its list, and whether its other lists contain this endpoint. */
    int index;

    boolean dirty;
    boolean ready;

    /** Reading and writing has stopped: the endpoint has failed, ended or was closed. */
    private boolean stopped;

    private boolean closed;
    /** Why the socket is not writable any more; data that the peer sent before is read first. */
    private @Nullable IOException broken;

    private TcpEndpoint(
            Lists lists,
            WorkerMemory shared,
            int queueBytes,
            EndpointHost host,
            Connection connection,
            Selector selector) {
        this.lists = lists;
        this.host = host;
        this.connection = connection;
        this.selector = selector;
        this.queue = new SendQueue(host, connection, shared, queueBytes, sends);
        this.answers = new Answers(this, queue);
        this.streams = new Streams(this, host, queue, sends, shared.views());
        this.messages = new Messages(this, host, answers, shared);
        this.reader = new TcpFrameReader(
                this,
                host,
                connection,
                shared.receiveBuffers(),
                new FrameHandler(this, host, messages, streams, sends));
        this.eagerMax = host.eagerMax();
    }

    static TcpEndpoint open(
            Lists lists,
            WorkerMemory shared,
            TcpSettings settings,
            WorkerHost worker,
            EndpointHost host,
            Connection connection) {
        SocketChannel channel = connection.channel();
        try {
            // It is closed if it has broken since the handshake, and there will be another one.
            if (channel.isOpen()) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                size(channel, StandardSocketOptions.SO_SNDBUF, settings.sendBuffer());
                size(channel, StandardSocketOptions.SO_RCVBUF, settings.receiveBuffer());
            }
            TcpEndpoint endpoint =
                    new TcpEndpoint(lists, shared, settings.queueBytes(), host, connection, worker.selector());
            connection.serve(worker.selector(), endpoint);
            if (connection.hasBuffered()) {
                // It arrived together with the end of the handshake.
                endpoint.readSoon();
            }
            return endpoint;
        } catch (IOException failure) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "cannot set up a connection for tcp: endpoint=" + host.label() + ", cause: " + failure.getMessage(),
                    failure);
        }
    }

    private static void size(SocketChannel channel, SocketOption<Integer> option, int bytes) throws IOException {
        if (bytes > 0) {
            channel.setOption(option, bytes);
        }
    }

    // Posts.

    @Override
    public boolean send(Operation operation) {
        // Waiting answers go first: posts of this side must not starve a peer's requests.
        if (stopped || !answers.isEmpty()) {
            return false;
        }
        boolean taken = operation.length() <= eagerMax ? isEager(operation) : tryAnnounce(operation);
        if (taken) {
            posted();
        }
        return taken;
    }

    private boolean isEager(Operation operation) {
        boolean synchronous = operation.isSynchronous();
        if (synchronous && sends.isFull()) {
            return false;
        }
        boolean active = operation.isActive();
        int type = active ? TcpFrame.ACTIVE : synchronous ? TcpFrame.EAGER_SYNC : TcpFrame.EAGER;
        int frontLength = active ? (int) operation.header().byteSize() : 0;
        int header = TcpFrame.header(type) + frontLength;
        int length = (int) operation.length();
        MemorySegment[] several = operation.buffers();
        int copied = length;
        if (length > SendQueue.COPY_MAX) {
            copied = several == null ? SendQueue.HEAD_COPY : copiedOf(several);
        }
        int at = queue.reserve(header + copied);
        if (at < 0) {
            return false;
        }
        MemorySegment segment = queue.segment();
        int payloads = queue.payloads();
        @Nullable Payload last = null;
        try {
            if (frontLength > 0) {
                MemorySegment.copy(operation.header(), 0, segment, at + header - frontLength, frontLength);
            }
            if (several == null) {
                MemorySegment.copy(operation.buffer(), operation.offset(), segment, at + header, copied);
                if (copied < length) {
                    last = queue.payload(operation.buffer(), operation.offset() + copied, length - copied);
                }
            } else {
                last = gather(several, length, at + header, copied);
            }
        } catch (RuntimeException | Error thrown) {
            // Another thread has closed the memory: the incomplete frame must not be sent.
            queue.withdraw(header + copied, payloads);
            throw thrown;
        }
        TcpFrame.word(segment, at, TcpFrame.first(type, frontLength + length));
        TcpFrame.word(segment, at + 8, active ? TcpFrame.target(operation.handler(), frontLength) : operation.tag());
        if (synchronous) {
            PendingOperation entry = sends.add(PendingOperation.Kind.SYNCHRONOUS, operation);
            TcpFrame.word(segment, at + 16, entry.id);
            if (last != null) {
                entry.hasPayload = true;
                last.unmatched = entry;
            }
        } else if (last == null) {
            operation.complete(Status.OK, length);
        } else {
            last.operation = operation;
        }
        return true;
    }

    /** The number of bytes of a long gathering send that are copied: its short parts. */
    private static int copiedOf(MemorySegment[] parts) {
        int copied = 0;
        for (MemorySegment part : parts) {
            if (part.byteSize() <= SendQueue.GATHER_COPY_MAX) {
                copied += (int) part.byteSize();
            }
        }
        return copied;
    }

    /** Queues the parts of a message; returns the last one that was not copied, or null. */
    private @Nullable Payload gather(MemorySegment[] parts, int length, int from, int copied) {
        long copyMax = length <= SendQueue.COPY_MAX ? length : SendQueue.GATHER_COPY_MAX;
        MemorySegment segment = queue.segment();
        @Nullable Payload last = null;
        int at = from;
        int end = from + copied;
        for (MemorySegment part : parts) {
            if (part.byteSize() <= copyMax) {
                MemorySegment.copy(part, 0, segment, at, part.byteSize());
                at += (int) part.byteSize();
            } else {
                last = queue.payloadBefore(end - at, part, 0, part.byteSize());
            }
        }
        return last;
    }

    private boolean tryAnnounce(Operation operation) {
        if (sends.isFull()) {
            return false;
        }
        boolean active = operation.isActive();
        int type = active ? TcpFrame.ACTIVE_ANNOUNCE : TcpFrame.ANNOUNCE;
        int frontLength = active ? (int) operation.header().byteSize() : 0;
        int header = TcpFrame.header(type);
        int at = queue.reserve(header + frontLength);
        if (at < 0) {
            return false;
        }
        MemorySegment segment = queue.segment();
        if (frontLength > 0) {
            try {
                MemorySegment.copy(operation.header(), 0, segment, at + header, frontLength);
            } catch (RuntimeException | Error thrown) {
                queue.shorten(header + frontLength);
                throw thrown;
            }
        }
        TcpFrame.word(segment, at, TcpFrame.first(type, frontLength));
        TcpFrame.word(segment, at + 8, active ? TcpFrame.target(operation.handler(), frontLength) : operation.tag());
        TcpFrame.word(segment, at + 16, sends.add(PendingOperation.Kind.ANNOUNCED, operation).id);
        TcpFrame.word(segment, at + 24, operation.length());
        return true;
    }

    @Override
    public boolean put(Operation operation) {
        if (stopped) {
            return false;
        }
        streams.memory().requester.put(operation);
        posted();
        return true;
    }

    @Override
    public boolean get(Operation operation) {
        if (stopped) {
            return false;
        }
        streams.memory().requester.get(operation);
        posted();
        return true;
    }

    @Override
    public boolean atomic(Operation operation) {
        if (stopped) {
            return false;
        }
        streams.memory().requester.atomic(operation);
        posted();
        return true;
    }

    @Override
    public boolean flush(Operation operation) {
        if (stopped) {
            return false;
        }
        MemoryFrames memory = streams.usedMemory();
        if (memory == null) {
            operation.complete(Status.OK, 0);
            return true;
        }
        memory.requester.flush(operation);
        posted();
        return true;
    }

    @Override
    public void fence() {
        MemoryFrames memory = streams.usedMemory();
        if (memory != null) {
            memory.requester.fence();
        }
    }

    @Override
    public RemoteMemory unpack(byte[] unpacked, RegionProof region, long length) {
        MemoryFrames _ = streams.memory();
        return new ServedMemory(region);
    }

    /** For tests. */
    @Nullable MemoryFrames usedMemory() {
        return streams.usedMemory();
    }

    @Override
    public boolean sendControl(ByteBuffer frame) {
        if (stopped) {
            return false;
        }
        int length = frame.remaining();
        int header = TcpFrame.header(TcpFrame.CONTROL);
        int at = queue.reserveAnswer(header + length);
        if (at < 0) {
            return false;
        }
        TcpFrame.word(queue.segment(), at, TcpFrame.first(TcpFrame.CONTROL, length));
        // Buffer to buffer: a segment over the frame would be an allocation per frame.
        queue.bytes().put(at + header, frame, frame.position(), length);
        markDirty();
        return true;
    }

    /** An operation was posted. */
    private void posted() {
        markDirty();
        if (queue.copied() >= WRITE_AT && broken == null) {
            write();
        }
    }

    // Arrivals.

    @Override
    public void deliver(Arrival arrival) {
        messages.deliver(arrival);
    }

    @Override
    public void discard(Arrival arrival) {
        messages.discard(arrival);
    }

    // Turns.

    @Override
    public void markDirty() {
        if (!dirty && !closed) {
            dirty = true;
            lists.addDirty(this);
        }
    }

    /** Writes waiting bytes, as far as the socket accepts them. */
    SendQueue.Outcome write() {
        long turnEnd = queue.written() + WRITE_BUDGET;
        try {
            while (!stopped && broken == null) {
                answers.drain();
                MemoryFrames memory = streams.usedMemory();
                if (memory != null) {
                    memory.drain();
                }
                if (queue.isEmpty() && !streams.tryProduce()) {
                    return SendQueue.Outcome.EMPTY;
                }
                long budget = turnEnd - queue.written();
                SendQueue.Outcome outcome = budget <= 0 ? SendQueue.Outcome.MORE : queue.write(budget);
                if (outcome != SendQueue.Outcome.EMPTY) {
                    return outcome;
                }
            }
        } catch (IOException failure) {
            // The peer may have sent a disconnect before it closed the connection; it must still be read.
            broken = failure;
            readSoon();
        } catch (FairleadException violation) {
            fail(violation);
        } catch (IllegalStateException misuse) {
            fail(misused(misuse));
        } catch (RuntimeException | Error thrown) {
            fail(new FairleadException(
                    Reason.TRANSPORT, "tcp failed: endpoint=" + host.label() + ", cause: " + thrown, thrown));
        }
        return SendQueue.Outcome.EMPTY;
    }

    /** Reads received bytes; returns the number of reads that returned some. */
    int read() {
        if (stopped) {
            return 0;
        }
        int events = 0;
        try {
            events = reader.read();
            if (!stopped && connection.hasBuffered()) {
                // The selector does not signal these bytes.
                readSoon();
            }
            IOException failure = broken;
            if (failure != null && !stopped) {
                if (events == 0) {
                    fail(lost(failure));
                } else {
                    readSoon();
                }
            }
        } catch (IOException failure) {
            fail(lost(failure));
        } catch (FairleadException violation) {
            fail(violation);
        } catch (IllegalStateException misuse) {
            fail(misused(misuse));
        } catch (RuntimeException | Error thrown) {
            fail(new FairleadException(
                    Reason.TRANSPORT, "tcp failed: endpoint=" + host.label() + ", cause: " + thrown, thrown));
        }
        return events;
    }

    @Override
    public void ready(SelectionKey selected) {
        if (selected.isWritable()) {
            selected.interestOps(SelectionKey.OP_READ);
            markDirty();
        }
        if (selected.isReadable()) {
            readSoon();
        }
    }

    @Override
    public void readSoon() {
        if (!ready && !closed) {
            ready = true;
            lists.addReady(this);
        }
    }

    /** Registers for the selector's write event; false if the socket may be writable now. */
    boolean tryAwaitWritable() {
        if (stopped || broken != null || !queue.isBlocked()) {
            return false;
        }
        connection.awaitWritable(selector);
        return true;
    }

    @Override
    public void ended() {
        stopped = true;
        if (reader.isBetweenFrames()) {
            host.ended();
        } else {
            host.failed(new FairleadException(
                    Reason.PEER_LOST, "peer closed the connection in the middle of a frame: endpoint=" + host.label()));
        }
    }

    private void fail(FairleadException cause) {
        stopped = true;
        host.failed(cause);
    }

    private FairleadException lost(IOException failure) {
        return new FairleadException(
                Reason.PEER_LOST,
                "connection broke: endpoint=" + host.label() + ", cause: " + failure.getMessage(),
                failure);
    }

    private FairleadException misused(IllegalStateException misuse) {
        return new FairleadException(
                Reason.TRANSPORT,
                "memory of an operation was closed before the operation ended: endpoint=" + host.label() + ", cause: "
                        + misuse.getMessage() + "; keep its Arena open until the completion has run",
                misuse);
    }

    @Override
    public void failMemoryClosed(IllegalStateException cause) {
        fail(misused(cause));
    }

    @Override
    public boolean isStopped() {
        return stopped;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isDrained() {
        MemoryFrames memory = streams.usedMemory();
        return queue.isEmpty()
                && answers.isEmpty()
                && (memory == null || memory.isDrained())
                && streams.isEmpty()
                && sends.size() == 0;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        stopped = true;
        CloseSteps.runAll(
                reader::close,
                messages::close,
                queue::close,
                sends::close,
                this::cancelMemory,
                answers::close,
                streams::close,
                () -> lists.remove(this),
                connection::close);
    }

    private void cancelMemory() {
        MemoryFrames memory = streams.usedMemory();
        if (memory != null) {
            memory.requester.cancel();
        }
    }
}
