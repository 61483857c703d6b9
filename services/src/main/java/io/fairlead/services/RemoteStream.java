package io.fairlead.services;

import io.fairlead.node.Message;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestOptions;
import io.fairlead.node.RequestStatus;
import io.fairlead.services.ClientProxy.Requester;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream at its subscriber. One request for items is under way at a time, so that they keep their order; the next leaves when the subscriber has got
 * those of the last. Items are delivered on a virtual thread, where the subscriber may block. Thread-safe; calls the subscriber without its lock.
 */
final class RemoteStream implements Flow.Subscription {
    private static final Logger LOG = LoggerFactory.getLogger(TypedServices.class);
    /** The most items that the service is asked for and have not come: they wait there while the subscriber is busy. */
    private static final int AHEAD_MAX = 256;
    /** The service answers within a second, with or without items. */
    private static final Duration POLL_DEADLINE = Duration.ofMinutes(1);

    private final Source source;
    private final Flow.Subscriber<? super Object> subscriber;
    private @Nullable Peer peer;
    private long number;
    /** What the subscriber has asked for and the service was not. */
    private long demand;
    /** What the service was asked for and has not come. */
    private int ahead;
    /** A request or a delivery is under way; or the stream is not open yet. */
    private boolean busy = true;
    /** A request for items is under way. */
    private boolean polling;
    /** A request that brings demand alone is under way. */
    private boolean crediting;

    private boolean cancelled;
    private boolean over;
    private @Nullable Throwable misuse;

    /**
     * What all subscriptions of one call share.
     *
     * @param message opens the stream, below this tag
     * @param deadline how long opening it may take
     */
    record Source(
            String method,
            Requester requester,
            long tag,
            RemotePublisher.Heads heads,
            MethodCoders coders,
            MemorySegment message,
            Duration deadline) {}

    RemoteStream(Source source, Flow.Subscriber<? super Object> subscriber) {
        this.source = source;
        this.subscriber = subscriber;
    }

    void open() {
        subscriber.onSubscribe(this);
        synchronized (this) {
            if (cancelled) {
                return;
            }
        }
        var _ = source.requester()
                .request(source.message(), source.tag(), RequestOptions.within(source.deadline()))
                .whenComplete((reply, failure) -> later(() -> opened(reply, failure)));
    }

    private static void later(Runnable task) {
        Thread.ofVirtual().name("fairlead-stream").start(task);
    }

    private void opened(@Nullable Message reply, @Nullable Throwable failure) {
        if (reply == null) {
            fail(failure);
            return;
        }
        boolean unwanted;
        synchronized (this) {
            try (reply) {
                number = reply.length() == Long.BYTES ? reply.segment().get(CallHead.LONG, 0) : 0;
            }
            peer = reply.source();
            busy = false;
            unwanted = cancelled;
        }
        if (unwanted) {
            sendCancel();
        } else {
            advance();
        }
    }

    @Override
    public void request(long count) {
        synchronized (this) {
            if (cancelled || over) {
                return;
            }
            if (count > 0) {
                demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
            } else {
                misuse = new IllegalArgumentException(
                        "a subscriber asks for a positive number of items: count=" + count);
            }
        }
        advance();
    }

    @Override
    public void cancel() {
        boolean opened;
        synchronized (this) {
            if (cancelled || over) {
                return;
            }
            cancelled = true;
            opened = peer != null;
        }
        if (opened) {
            sendCancel();
        }
    }

    /** Without an answer that matters: a stream whose subscriber does not ask any more ends after a while. */
    private void sendCancel() {
        Peer at;
        CallHead head = source.heads().cancel();
        byte[] message = head.with(Long.BYTES);
        synchronized (this) {
            at = peer;
            ByteBuffer.wrap(message).putLong(head.length(), number);
        }
        if (at != null) {
            var _ = at.request(message, source.heads().tag(), POLL_DEADLINE);
        }
    }

    /**
     * Asks for items, also without demand: the answer may be that the stream has ended. Demand that comes while a request waits goes in a request of its own,
     * which may overtake others without harm, because it brings no items.
     */
    private void advance() {
        Peer at;
        int more = 0;
        boolean polls;
        Throwable wrong;
        synchronized (this) {
            at = peer;
            wrong = misuse;
            polls = !busy;
            boolean nothingToSay = wrong == null && (crediting || demand == 0 || ahead == AHEAD_MAX);
            if (cancelled || over || at == null || (busy && (!polling || nothingToSay))) {
                return;
            }
            if (wrong == null) {
                more = (int) Math.min(demand, AHEAD_MAX - ahead);
                demand -= demand == Long.MAX_VALUE ? 0 : more;
                ahead += more;
            }
            crediting = !polls;
            busy = true;
            polling = wrong == null;
        }
        if (wrong != null) {
            sendCancel();
            later(() -> fail(wrong));
        } else if (polls) {
            var _ = send(at, source.heads().next(), more)
                    .whenComplete((reply, failure) -> later(() -> arrived(reply, failure)));
        } else {
            var _ = send(at, source.heads().credit(), more).whenComplete((_, failure) -> credited(failure));
        }
    }

    private CompletableFuture<Message> send(Peer at, CallHead head, int more) {
        byte[] message = head.with(Long.BYTES + Integer.BYTES);
        synchronized (this) {
            ByteBuffer.wrap(message).putLong(head.length(), number).putInt(head.length() + Long.BYTES, more);
        }
        return at.request(message, source.heads().tag(), POLL_DEADLINE);
    }

    /** A failure here is one of the stream: the request that waits for items fails as well, or the stream would wait for ever. */
    private void credited(@Nullable Throwable failure) {
        if (failure != null) {
            later(() -> fail(failure));
            return;
        }
        synchronized (this) {
            crediting = false;
        }
        advance();
    }

    private void arrived(@Nullable Message reply, @Nullable Throwable failure) {
        if (reply == null) {
            fail(failure);
            return;
        }
        synchronized (this) {
            polling = false;
        }
        boolean last;
        try (reply) {
            StreamItems items = new StreamItems(reply.segment());
            last = items.isLast();
            while (items.hasNext() && wantsItem()) {
                Object item = source.coders().decodeResult(items.next());
                deliver(item);
            }
        } catch (RequestException malformed) {
            sendCancel();
            fail(malformed);
            return;
        }
        if (last && end()) {
            subscriber.onComplete();
            return;
        }
        synchronized (this) {
            busy = false;
        }
        advance();
    }

    private synchronized boolean wantsItem() {
        if (cancelled || misuse != null) {
            return false;
        }
        if (ahead == 0) {
            throw new RequestException(
                    RequestStatus.FAILED,
                    "the service of " + source.method() + " has sent more items than it was asked for");
        }
        ahead--;
        return true;
    }

    private void deliver(@Nullable Object item) {
        try {
            subscriber.onNext(item);
        } catch (RuntimeException broken) {
            LOG.warn("a subscriber threw, which ends its stream; method={}", source.method(), broken);
            cancel();
        }
    }

    /** Returns false if the subscriber is not interested any more. */
    private synchronized boolean end() {
        if (cancelled || over || misuse != null) {
            return false;
        }
        over = true;
        return true;
    }

    private void fail(@Nullable Throwable reported) {
        Throwable failure;
        synchronized (this) {
            if (cancelled || over) {
                return;
            }
            over = true;
            // What the subscriber did comes before the service's answer to the cancel that followed.
            failure = misuse == null ? reported : misuse;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        subscriber.onError(
                cause instanceof RequestException refused ? ClientProxy.named(source.method(), refused) : cause);
    }
}
