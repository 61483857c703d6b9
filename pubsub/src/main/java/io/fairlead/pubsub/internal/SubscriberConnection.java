package io.fairlead.pubsub.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.internal.log.LogScope;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscriber's connection as its publisher has it: receives the subscriber's requests, and holds its senders. */
final class SubscriberConnection {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriberConnection.class);
    /** Control messages are short and served at once; more that arrive together wait in the endpoint's own bounded queue. */
    private static final int BUFFERS = 4;
    /** Refusals that may wait to be sent, beyond the subscriptions that are permitted. */
    private static final int REFUSALS_MAX = 64;

    private final LivePublisher publisher;
    private final Endpoint endpoint;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment[] buffers = new MemorySegment[BUFFERS];
    private final Completion completion = this::received;
    /** By the subscriber's stream numbers. */
    private @Nullable StreamSender[] senders = new StreamSender[8];

    private int streamCount;
    /** Buffers whose receive could not be posted, one bit each. */
    private int unposted;

    private @Nullable FairleadException violation;

    SubscriberConnection(LivePublisher publisher, Endpoint endpoint) {
        this.publisher = publisher;
        this.endpoint = endpoint;
        for (int i = 0; i < BUFFERS; i++) {
            buffers[i] = arena.allocate(Wire.CONTROL_BYTES_MAX, 64);
            post(i);
        }
    }

    Endpoint endpoint() {
        return endpoint;
    }

    private void post(int buffer) {
        long result = endpoint.receive(
                buffers[buffer], 0, Wire.CONTROL_BYTES_MAX, Wire.controlTag(), Wire.TAG_MASK, completion, buffer);
        if (result == Endpoint.BACK_PRESSURE) {
            unposted |= 1 << buffer;
            publisher.repost(this);
        }
    }

    /** Posts the receives that the worker had no capacity for. */
    void repost() {
        int due = unposted;
        unposted = 0;
        for (int i = 0; i < BUFFERS; i++) {
            if ((due & 1 << i) != 0) {
                post(i);
            }
        }
    }

    private void received(Request request) {
        int buffer = (int) request.userData();
        if (violation != null || (request.status() != Status.OK && request.status() != Status.TRUNCATED)) {
            return;
        }
        try {
            serve(buffers[buffer], request.length());
        } catch (Wire.Malformed e) {
            violate(e.text());
            return;
        }
        post(buffer);
    }

    private void serve(MemorySegment message, long length) throws Wire.Malformed {
        if (length > Wire.CONTROL_BYTES_MAX || length < Wire.UNSUBSCRIBE_BYTES) {
            throw new Wire.Malformed("control message out of range: length=" + length + ", allowed "
                    + Wire.UNSUBSCRIBE_BYTES + " to " + Wire.CONTROL_BYTES_MAX + " bytes");
        }
        int kind = message.get(Wire.INT, 0);
        int stream = message.get(Wire.INT, 4);
        // A stream that is not known is one that has just ended on this side; its subscriber could not know.
        StreamSender sender = stream > 0 && stream < senders.length ? senders[stream] : null;
        switch (kind) {
            case Wire.CONTROL_SUBSCRIBE -> subscribe(JoinRequest.decode(message, length));
            case Wire.CONTROL_CREDIT -> {
                if (length != Wire.CREDIT_BYTES) {
                    throw new Wire.Malformed(
                            "credit out of range: length=" + length + ", expected " + Wire.CREDIT_BYTES + " bytes");
                }
                if (sender != null && sender.open()) {
                    sender.credit(message.get(Wire.LONG, 8), message.get(Wire.LONG, 16));
                }
            }
            case Wire.CONTROL_READ -> {
                if (length != Wire.READ_BYTES) {
                    throw new Wire.Malformed(
                            "confirmation out of range: length=" + length + ", expected " + Wire.READ_BYTES + " bytes");
                }
                if (sender != null && sender.open()) {
                    sender.confirm(message.get(Wire.LONG, 8), message.get(Wire.LONG, 16));
                }
            }
            case Wire.CONTROL_UNSUBSCRIBE -> {
                if (sender != null) {
                    sender.end(new FairleadException(Reason.CLOSED, "subscriber has left the topic"));
                }
            }
            default -> throw new Wire.Malformed("unknown control message: kind=" + kind);
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
        for (StreamSender sender : senders) {
            if (sender != null) {
                sender.end(cause);
                sender.dispatch();
            }
        }
        endpoint.close();
    }

    /** Ends every sender with the publisher's reason. */
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
        unposted = 0;
        arena.close();
    }
}
