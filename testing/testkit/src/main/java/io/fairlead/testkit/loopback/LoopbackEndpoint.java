package io.fairlead.testkit.loopback;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.served.ServedMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;

/**
 * An endpoint. A message up to {@code eagerMax} crosses in one frame; a longer one is announced, pulled by the receiver once a
 * receive has matched it, and crosses in chunks. Each side touches the buffers of its own operations only, on its own
 * thread: they may be confined to it, and their owner may reuse them the moment that an operation has completed.
 */
final class LoopbackEndpoint implements TransportEndpoint {
    private static final int CHUNK_BYTES = 1 << 16;
    /** How many chunks leave in one progress, so that one long message does not keep the others of the worker waiting. */
    private static final int CHUNKS_PER_PUSH = 16;

    /** A message that the receiver has pulled, on its way out. */
    private static final class Outgoing {
        final long message;
        final Operation send;
        final long end;
        long position;

        Outgoing(long message, Operation send, long end) {
            this.message = message;
            this.send = send;
            this.end = end;
        }
    }

    /** A message that this side has pulled, on its way in. */
    private static final class Incoming {
        final Operation receive;
        final long messageLength;
        final long end;
        long position;

        Incoming(Operation receive, long messageLength, long end) {
            this.receive = receive;
            this.messageLength = messageLength;
            this.end = end;
        }
    }

    private final LoopbackWorker worker;
    private final EndpointHost host;
    private final Link link;
    private final Link.Address address;
    private final Link.End peerEnd;
    private final FrameQueue peerInbox;

    private long nextMessage = 1;
    /** Sends that wait for the receiver, by message. */
    private final Map<Long, Operation> sends = new HashMap<>();

    private final Queue<Outgoing> outgoing = new ArrayDeque<>();
    private final Map<Long, Incoming> incoming = new HashMap<>();
    /** Answers that found the peer's queue full. Posts are refused as long as there are any, which keeps everything in order. */
    private final Queue<LoopbackFrame> unsent = new ArrayDeque<>();

    private final MemoryChannel memory;

    /** The endpoint has failed, and nothing more is taken from the peer. */
    private boolean deaf;

    private boolean closed;

    LoopbackEndpoint(
            LoopbackWorker worker, EndpointHost host, Link.Address local, Link.Address remote, FrameQueue peerInbox) {
        this.worker = worker;
        this.host = host;
        this.address = local;
        this.peerInbox = peerInbox;
        this.memory = new MemoryChannel(this, host);
        this.link = Link.between(local, remote);
        this.peerEnd = link.end(remote);
        link.open(local, this);
    }

    @Override
    public boolean send(Operation operation) {
        if (!mayPost()) {
            return false;
        }
        long length = operation.length();
        long message = nextMessage;
        boolean eager = length <= host.eagerMax();
        if (!offer(frame(operation, message, length, eager))) {
            return false;
        }
        nextMessage++;
        if (eager && !operation.isSynchronous()) {
            operation.complete(Status.OK, length);
        } else {
            sends.put(message, operation);
        }
        return true;
    }

    private static LoopbackFrame frame(Operation operation, long message, long length, boolean eager) {
        if (operation.isActive()) {
            MemorySegment header = operation.header();
            int headerLength = (int) header.byteSize();
            MemorySegment bytes = payload(operation, 0, eager ? length : 0, headerLength);
            MemorySegment.copy(header, 0, bytes, 0, headerLength);
            return eager
                    ? new LoopbackFrame.Active(operation.handler(), headerLength, bytes)
                    : new LoopbackFrame.ActiveAnnouncement(message, operation.handler(), bytes, length);
        }
        return eager
                ? new LoopbackFrame.Eager(
                        message, operation.tag(), payload(operation, 0, length, 0), operation.isSynchronous())
                : new LoopbackFrame.Announcement(message, operation.tag(), length);
    }

    @Override
    public void deliver(Arrival arrival) {
        Operation receive = Objects.requireNonNull(arrival.operation(), "a delivered arrival has an operation");
        if (arrival.attachment instanceof LoopbackFrame.Eager eager) {
            receive(eager, receive);
        } else {
            pull(arrival.word, arrival.length(), receive);
        }
    }

    @Override
    public void discard(Arrival arrival) {
        // The payload of an eager message goes with the arrival; an announced one stays its sender's.
    }

    @Override
    public boolean put(Operation operation) {
        memory.requester.put(operation);
        return true;
    }

    @Override
    public boolean get(Operation operation) {
        memory.requester.get(operation);
        return true;
    }

    @Override
    public boolean atomic(Operation operation) {
        memory.requester.atomic(operation);
        return true;
    }

    @Override
    public boolean flush(Operation operation) {
        memory.requester.flush(operation);
        return true;
    }

    @Override
    public void fence() {
        memory.requester.fence();
    }

    @Override
    public RemoteMemory unpack(byte[] key, RegionProof region, long length) {
        return new ServedMemory(region);
    }

    @Override
    public boolean isDrained() {
        return unsent.isEmpty() && outgoing.isEmpty() && memory.isDrained();
    }

    @Override
    public void close() {
        closed = true;
        link.close(address);
        worker.closed(this);
        sends.values().forEach(LoopbackEndpoint::cancel);
        incoming.values().forEach(message -> cancel(message.receive));
        sends.clear();
        incoming.clear();
        outgoing.clear();
        unsent.clear();
        memory.requester.cancel();
    }

    private static void cancel(Operation operation) {
        operation.complete(Status.CANCELLED, 0);
    }

    /** Something was thrown while this endpoint was worked on: nothing more is moved on it. */
    void failThrown(Throwable thrown) {
        if (deaf) {
            return;
        }
        deaf = true;
        outgoing.clear();
        host.failed(
                thrown instanceof FairleadException known
                        ? known
                        : new FairleadException(
                                Reason.TRANSPORT,
                                "loopback failed: endpoint=" + host.label() + ", cause: " + thrown,
                                thrown));
    }

    boolean isOpen() {
        return !deaf && !closed;
    }

    /** Something is to be sent in the next progress. */
    void busy() {
        worker.busy(this);
    }

    /** A frame of the peer. */
    void received(LoopbackFrame frame) {
        if (deaf) {
            return;
        }
        switch (frame) {
            case LoopbackFrame.Eager eager -> arrived(eager);
            case LoopbackFrame.Announcement announcement -> arrived(announcement);
            case LoopbackFrame.Active active -> arrived(active);
            case LoopbackFrame.ActiveAnnouncement announcement -> arrived(announcement);
            case LoopbackFrame.Matched matched -> finish(matched.message());
            case LoopbackFrame.Pull pull -> pulled(pull);
            case LoopbackFrame.Chunk chunk -> received(chunk);
            case LoopbackFrame.Memory message -> memory.received(message.bytes());
        }
    }

    private void arrived(LoopbackFrame.Eager eager) {
        Arrival arrival = host.arrived(eager.tag(), eager.payload().byteSize(), Arrival.Place.EAGER);
        if (arrival == null) {
            deaf = true;
            return;
        }
        Operation receive = arrival.operation();
        if (receive != null) {
            receive(eager, receive);
        } else {
            arrival.attachment = eager;
            arrival.markWhole();
        }
    }

    private void arrived(LoopbackFrame.Announcement announcement) {
        Arrival arrival = host.arrived(announcement.tag(), announcement.length(), Arrival.Place.SENDER);
        if (arrival == null) {
            deaf = true;
            return;
        }
        Operation receive = arrival.operation();
        if (receive != null) {
            pull(announcement.message(), announcement.length(), receive);
        } else {
            arrival.word = announcement.message();
        }
    }

    private void arrived(LoopbackFrame.Active active) {
        MemorySegment bytes = active.bytes();
        deaf = !host.tryTakeActive(active.handler(), active.headerLength(), bytes, 0, bytes.byteSize());
    }

    private void arrived(LoopbackFrame.ActiveAnnouncement announcement) {
        MemorySegment header = announcement.header();
        Arrival arrival =
                host.activeAnnounced(announcement.handler(), header, 0, (int) header.byteSize(), announcement.length());
        if (arrival == null) {
            deaf = true;
            return;
        }
        arrival.word = announcement.message();
    }

    private void receive(LoopbackFrame.Eager eager, Operation receive) {
        MemorySegment payload = eager.payload();
        long room = Math.min(payload.byteSize(), receive.length());
        try {
            MemorySegment.copy(payload, 0, receive.buffer(), receive.offset(), room);
        } catch (RuntimeException dead) {
            // The receive is nobody's any more but ours, and would never end.
            failThrown(dead);
            cancel(receive);
            return;
        }
        if (eager.synchronous() && !closed) {
            answer(new LoopbackFrame.Matched(eager.message()));
        }
        receive.complete(Status.OK, payload.byteSize());
    }

    private void pull(long message, long messageLength, Operation receive) {
        long room = Math.min(messageLength, receive.length());
        answer(new LoopbackFrame.Pull(message, room));
        if (room == 0) {
            receive.complete(Status.OK, messageLength);
        } else {
            incoming.put(message, new Incoming(receive, messageLength, room));
        }
    }

    private void pulled(LoopbackFrame.Pull pull) {
        Operation send = sends.get(pull.message());
        if (send == null) {
            return;
        }
        if (pull.length() == 0) {
            finish(pull.message());
        } else {
            outgoing.add(new Outgoing(pull.message(), send, pull.length()));
            worker.busy(this);
        }
    }

    private void received(LoopbackFrame.Chunk chunk) {
        Incoming message = incoming.get(chunk.message());
        if (message == null) {
            return;
        }
        MemorySegment bytes = chunk.bytes();
        Operation receive = message.receive;
        MemorySegment.copy(bytes, 0, receive.buffer(), receive.offset() + message.position, bytes.byteSize());
        message.position += bytes.byteSize();
        if (message.position == message.end) {
            incoming.remove(chunk.message());
            receive.complete(Status.OK, message.messageLength);
        }
    }

    /** The receiver has what it wants of a message. */
    private void finish(long message) {
        Operation send = sends.remove(message);
        if (send != null) {
            send.complete(Status.OK, send.length());
        }
    }

    /** Sends the queued answers, then the next chunks of pulled messages. */
    int push() {
        int events = 0;
        while (!unsent.isEmpty() && offer(unsent.element())) {
            unsent.remove();
            events++;
        }
        events += memory.push();
        for (int chunks = 0; chunks < CHUNKS_PER_PUSH && mayPost() && !outgoing.isEmpty(); chunks++) {
            Outgoing message = outgoing.element();
            long length = Math.min(CHUNK_BYTES, message.end - message.position);
            if (!offer(new LoopbackFrame.Chunk(message.message, payload(message.send, message.position, length, 0)))) {
                break;
            }
            events++;
            message.position += length;
            if (message.position == message.end) {
                outgoing.remove();
                finish(message.message);
            }
        }
        return events;
    }

    boolean hasMore() {
        return !unsent.isEmpty() || !outgoing.isEmpty() || memory.hasMore();
    }

    boolean mayPost() {
        return link.isJoined() && unsent.isEmpty() && peerInbox.hasRoom();
    }

    boolean offer(LoopbackFrame frame) {
        return peerInbox.offer(new FrameQueue.Delivery(peerEnd, frame));
    }

    /** Sends a frame that cannot be refused. There are no more of them than operations and arrivals, which the core bounds. */
    private void answer(LoopbackFrame frame) {
        if (!unsent.isEmpty() || !offer(frame)) {
            unsent.add(frame);
            worker.busy(this);
        }
    }

    /** Copies a part of what an operation sends, from its one buffer or from several, behind room for a header. */
    private static MemorySegment payload(Operation operation, long from, long length, int headerLength) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[headerLength + (int) length]);
        MemorySegment payload = bytes.asSlice(headerLength);
        MemorySegment[] several = operation.buffers();
        if (several == null) {
            MemorySegment.copy(operation.buffer(), operation.offset() + from, payload, 0, length);
            return bytes;
        }
        long filled = 0;
        long skip = from;
        for (MemorySegment source : several) {
            long part = Math.clamp(source.byteSize() - skip, 0, length - filled);
            if (part > 0) {
                MemorySegment.copy(source, skip, payload, filled, part);
            }
            filled += part;
            skip = Math.max(0, skip - source.byteSize());
        }
        return bytes;
    }
}
