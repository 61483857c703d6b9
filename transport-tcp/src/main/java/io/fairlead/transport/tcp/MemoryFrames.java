package io.fairlead.transport.tcp;

import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.served.Intake;
import io.fairlead.spi.served.RemoteRequester;
import io.fairlead.spi.served.RemoteResponder;
import io.fairlead.spi.served.ServedChannel;
import io.fairlead.spi.served.ServedLimits;
import io.fairlead.spi.served.ServedMessage;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Remote memory access over the stream of one endpoint: each message is a frame. Short data is copied behind its
 * header. Long data is written in place, and waits for its turn among the {@link Streams}.
 */
final class MemoryFrames implements ServedChannel {
    /**
     * The stream's flow control stops the owner, so a get is one request of any length, and few puts need an answer.
     */
    private static final ServedLimits LIMITS = new ServedLimits(
            TcpFrame.CHUNK_MAX, SendQueue.COPY_MAX, Long.MAX_VALUE, TcpFrame.ASKED_MAX, TcpFrame.ASKED_MAX / 2);

    final RemoteRequester requester;
    final RemoteResponder responder;

    private final TcpEndpointOwner endpoint;
    private final SendQueue queue;
    private final ViewCache views;
    /** The long put whose part was queued last. */
    private final Payload.Transfer put;
    /** The peer's long get whose part was queued last. */
    private final Payload.Transfer get;

    private final ServedMessage message = new ServedMessage();
    private final IntakeSink sink = new IntakeSink();
    /** The next turn is a long part's. */
    private boolean streams;

    MemoryFrames(TcpEndpointOwner endpoint, EndpointHost host, SendQueue queue, ViewCache views) {
        this.endpoint = endpoint;
        this.queue = queue;
        this.views = views;
        this.requester = new RemoteRequester(host, this, LIMITS);
        this.responder = new RemoteResponder(host, this, LIMITS);
        this.put = _ -> requester.left();
        this.get = responder::left;
    }

    /**
     * Handles a frame.
     *
     * @param reader the caller
     * @param at its position in the receive buffer
     * @param available the number of received bytes after its header
     * @return the number of consumed bytes
     */
    int handle(TcpFrameReader reader, int at, int available) {
        MemorySegment buffer = reader.buffer();
        message.read(buffer, at);
        int length = message.dataLength();
        boolean isAnswer = message.isAnswer();
        if (length > available) {
            sink.intake = isAnswer ? requester.begin(message) : responder.begin(message);
            reader.receive(sink, length);
            return 0;
        }
        int data = at + message.headerLength();
        if (isAnswer) {
            requester.answered(message, buffer, data);
        } else {
            responder.request(message, buffer, data);
        }
        return length;
    }

    @Override
    public Outcome send(ServedMessage sent) {
        // Data that does not fit the queue is sent in a later turn.
        endpoint.markDirty();
        int header = sent.headerLength();
        int length = sent.dataLength();
        int copied = length;
        if (length > SendQueue.COPY_MAX) {
            if (!streams) {
                return Outcome.FULL;
            }
            copied = SendQueue.HEAD_COPY;
        }
        int at = sent.isAnswer() && length == 0 ? queue.reserveAnswer(header + copied) : queue.reserve(header + copied);
        if (at < 0) {
            return Outcome.FULL;
        }
        MemorySegment segment = queue.segment();
        sent.write(segment, at);
        try {
            MemorySegment.copy(sent.data(), sent.dataOffset(), segment, at + header, copied);
        } catch (RuntimeException | Error thrown) {
            queue.shorten(header + copied);
            throw thrown;
        }
        if (copied == length) {
            return Outcome.COPIED;
        }
        streams = false;
        long rest = sent.dataOffset() + copied;
        if (sent.isAnswer()) {
            Payload payload = queue.payload(MemorySegment.NULL, rest, length - copied);
            payload.transfer = get;
            payload.ofRegion = true;
            payload.regionId = sent.region();
        } else {
            queue.payload(sent.data(), rest, length - copied).transfer = put;
        }
        return Outcome.BORROWED;
    }

    @Override
    public boolean mayAsk() {
        return !endpoint.isStopped();
    }

    @Override
    public void memoryClosed(IllegalStateException cause) {
        endpoint.failMemoryClosed(cause);
    }

    /** Queues waiting messages, as far as the queue has capacity; answers first. */
    void drain() {
        responder.resume();
        requester.resume();
    }

    /** Queues the next part of a long put. The queue must be empty; it stays empty if there is none. */
    void streamPut() {
        streams = true;
        requester.resume();
        streams = false;
    }

    /** Queues the next part of a long get of the peer. The queue must be empty; it stays empty if there is none. */
    void streamGet() {
        streams = true;
        responder.resume();
        streams = false;
    }

    /** Whether no message waits here, and no operation for an answer. */
    boolean isDrained() {
        return requester.isDrained() && !responder.isWaiting();
    }

    /** Receives data that arrives in pieces. */
    private final class IntakeSink implements Sink {
        private @Nullable Intake intake;

        private Intake intake() {
            return Objects.requireNonNull(intake, "intake");
        }

        @Override
        public void take(MemorySegment source, int at, int count) {
            intake().take(source, at, count);
        }

        @Override
        public @Nullable ByteBuffer target(int missing) {
            MemorySegment memory = intake().hold();
            return memory == null ? null : views.view(memory, intake().offset(), missing);
        }

        @Override
        public void filled(int count) {
            intake().took(count);
        }

        @Override
        public void end() {
            Intake ended = intake();
            intake = null;
            ended.end();
        }

        @Override
        public void abandon() {
            intake = null;
        }
    }
}
