package io.fairlead.pubsub.internal;

import io.fairlead.ActiveMessage;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.internal.log.LogScope;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscriber's connection as its publisher has it: receives the subscriber's requests, and holds its senders. */
final class SubscriberConnection {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriberConnection.class);
    /** Refusals that may wait to be sent, beyond the subscriptions that are permitted. */
    private static final int REFUSALS_MAX = 64;

    private final LivePublisher publisher;
    private final Endpoint endpoint;
    /** By the subscriber's stream numbers. */
    private @Nullable StreamSender[] senders = new StreamSender[8];

    private int streamCount;
    /** Requests that are at the subscriber and found no operation. */
    private final ArrayDeque<ActiveMessage> waiting = new ArrayDeque<>();

    private @Nullable FairleadException violation;

    SubscriberConnection(LivePublisher publisher, Endpoint endpoint) {
        this.publisher = publisher;
        this.endpoint = endpoint;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** Takes a message of the subscriber. */
    void received(ActiveMessage message) {
        if (violation != null) {
            return;
        }
        try {
            serve(message);
        } catch (Wire.Malformed e) {
            violate(e.text());
        }
    }

    private void serve(ActiveMessage message) throws Wire.Malformed {
        MemorySegment buffer = message.buffer();
        if (message.headerLength() != Wire.CONTROL_BYTES) {
            throw new Wire.Malformed("control message out of range: header=" + message.headerLength() + ", expected "
                    + Wire.CONTROL_BYTES + " bytes");
        }
        int kind = buffer.get(Wire.INT, 0);
        int stream = buffer.get(Wire.INT, 4);
        long first = buffer.get(Wire.LONG, 8);
        long second = buffer.get(Wire.LONG, 16);
        if (kind == Wire.SUBSCRIBE) {
            subscribe(stream, message);
            return;
        }
        if (message.length() != 0) {
            throw new Wire.Malformed(
                    "control message has a payload: kind=" + kind + ", length=" + message.length() + " bytes");
        }
        // A stream that is not known is one that has just ended on this side; its subscriber could not know.
        StreamSender sender = stream > 0 && stream < senders.length ? senders[stream] : null;
        switch (kind) {
            case Wire.CREDIT -> {
                if (sender != null && sender.open()) {
                    sender.credit(first, second);
                }
            }
            case Wire.READ -> {
                if (sender != null && sender.open()) {
                    sender.confirm(first, second);
                }
            }
            case Wire.UNSUBSCRIBE -> {
                if (sender != null) {
                    sender.end(new FairleadException(Reason.CLOSED, "subscriber has left the topic"));
                }
            }
            default -> throw new Wire.Malformed("unknown control message: kind=" + kind);
        }
    }

    private void subscribe(int stream, ActiveMessage message) throws Wire.Malformed {
        if (message.length() > Wire.JOIN_BYTES_MAX) {
            throw new Wire.Malformed(
                    "join is too long: length=" + message.length() + ", limit=" + Wire.JOIN_BYTES_MAX + " bytes");
        }
        if (message.isWhole()) {
            subscribe(JoinRequest.decode(stream, message.buffer(), message.headerLength(), message.length()));
        } else if (!tryReceive(message)) {
            // Its credits bound how many these are.
            message.keep();
            waiting.add(message);
            publisher.retry(this);
        }
    }

    /** Receives a request that is at the subscriber, which is so if no payload is eager; false if it has to wait. */
    private boolean tryReceive(ActiveMessage message) {
        PinnedMemory memory = new PinnedMemory(message.length());
        int stream = message.buffer().get(Wire.INT, 4);
        long result = message.receive(memory.segment(), request -> joinReceived(stream, memory, request));
        if (result >= 0) {
            memory.begin();
        }
        memory.retire();
        return result != Endpoint.BACK_PRESSURE;
    }

    private void joinReceived(int stream, PinnedMemory memory, Request request) {
        try {
            if (violation == null && request.status() == Status.OK) {
                subscribe(JoinRequest.decode(stream, memory.segment(), 0, request.length()));
            }
        } catch (Wire.Malformed e) {
            violate(e.text());
        } finally {
            memory.end();
        }
    }

    /** Receives the requests that found no operation. */
    void retry() {
        for (ActiveMessage next = waiting.peek(); next != null; next = waiting.peek()) {
            if (!tryReceive(next)) {
                publisher.retry(this);
                return;
            }
            waiting.remove().release();
        }
    }

    private void subscribe(JoinRequest join) throws Wire.Malformed {
        int stream = join.stream();
        if (stream < senders.length && senders[stream] != null) {
            throw new Wire.Malformed("stream is in use: stream=" + stream);
        }
        if (streamCount >= publisher.options().subscriptionsMax() + REFUSALS_MAX) {
            throw new Wire.Malformed("too many joins without waiting for answers: streams=" + streamCount);
        }
        StreamSender sender = publisher.join(this, join);
        if (stream >= senders.length) {
            senders = Arrays.copyOf(senders, Math.min(Wire.STREAM_MAX + 1, Integer.highestOneBit(stream) * 2));
        }
        senders[stream] = sender;
        streamCount++;
    }

    /** How many of its senders have not said their last word. */
    int streamCount() {
        return streamCount;
    }

    /** A sender has said its last word; its number may be used again. */
    void release(StreamSender sender) {
        senders[sender.stream()] = null;
        streamCount--;
    }

    private void violate(String what) {
        FairleadException cause = new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                "subscriber sent a malformed message: peer=" + endpoint.remoteAddress() + ", " + what
                        + "; its endpoint is closed");
        try (LogScope _ = LogScope.of(endpoint)) {
            LOG.warn("{}", cause.getMessage());
        }
        violation = cause;
        end(cause);
        endpoint.close();
    }

    /** Ends every sender. */
    void end(FairleadException cause) {
        for (StreamSender sender : senders) {
            if (sender != null) {
                sender.end(cause);
                sender.dispatch();
            }
        }
    }

    /** The endpoint has ended, and every operation on it. */
    void lose(FairleadException observed) {
        FairleadException cause = Optional.ofNullable(violation).orElse(observed);
        for (int i = 0; i < senders.length; i++) {
            StreamSender sender = senders[i];
            if (sender != null) {
                sender.lose(cause);
                senders[i] = null;
            }
        }
        streamCount = 0;
        for (ActiveMessage next = waiting.poll(); next != null; next = waiting.poll()) {
            next.release();
        }
    }
}
