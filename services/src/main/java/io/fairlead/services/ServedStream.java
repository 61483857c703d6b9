package io.fairlead.services;

import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceRequest;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A stream at its service: asks a publisher for items as long as the subscriber at the other end has demand, and answers that subscriber's requests
 * with what there is. Thread-safe; calls neither the publisher nor the node with its lock held.
 *
 * <p>One item is asked for at a time, because the bytes of an item are known when it is there: so at most the limit and one item wait. A publisher
 * that publishes inside of {@code request} is asked again until the demand is met or a millisecond has passed, and all of that is one reply.
 */
final class ServedStream implements Flow.Subscriber<Object> {
    private static final long GATHER_NS = 1_000_000;
    private static final byte[] OPEN_HEAD = {0};
    private static final byte[] END_HEAD = {1};

    private final ServedMethod method;
    private final MethodCoders coders;
    private final int bytesMax;
    private final Runnable ended;
    private final Queue<byte[]> ready = new ArrayDeque<>();
    private int readyBytes;
    private long firstReadyNs;
    /** Items that the subscriber takes, and the publisher was not asked for. */
    private long credit;
    /** The publisher was asked for an item that is not here. */
    private boolean asked;

    private Flow.@Nullable Subscription upstream;
    /** The subscriber's request that is not answered yet. */
    private @Nullable ServiceRequest waiting;

    private long waitingNs;
    /** When the subscriber has last asked for items, or got some. */
    private long lastNs = System.nanoTime();

    private boolean complete;
    private @Nullable RequestException failure;
    /** Nothing comes any more, and nothing is kept. */
    private boolean over;
    /** A thread is in {@link #advance}; the others leave their news to it. */
    private boolean advancing;

    private boolean again;

    /**
     * Creates a stream that has no publisher yet.
     *
     * @param bytesMax how many bytes wait before the publisher is asked for no more
     * @param ended run when it is over, perhaps more than once
     */
    ServedStream(ServedMethod method, MethodCoders coders, int bytesMax, Runnable ended) {
        this.method = method;
        this.coders = coders;
        this.bytesMax = bytesMax;
        this.ended = ended;
    }

    /** Takes a subscriber's request for more items. */
    void next(ServiceRequest request, int more) {
        boolean wrong;
        synchronized (this) {
            wrong = waiting != null || over;
            if (!wrong) {
                waiting = request;
                waitingNs = System.nanoTime();
                addCredit(more);
            }
        }
        if (wrong) {
            request.fail(
                    RequestStatus.INVALID_ARGUMENT, "the stream is over, or answers another request of its subscriber");
            return;
        }
        request.onCancel(() -> cancelled(request));
        advance();
    }

    /** Takes a subscriber's demand for more items. */
    void credit(int more) {
        synchronized (this) {
            addCredit(more);
        }
        advance();
    }

    private void addCredit(int more) {
        credit += more;
        if (more > 0) {
            lastNs = System.nanoTime();
        }
    }

    /** The subscriber, or its process, has gone without an answer. */
    private void cancelled(ServiceRequest request) {
        boolean abandoned;
        synchronized (this) {
            abandoned = request.equals(waiting);
        }
        if (abandoned) {
            end(new RequestException(RequestStatus.CANCELLED, "the subscriber has gone"));
        }
    }

    /** Ends it at once: the publisher's subscription is cancelled, and what waits is dropped. */
    void end(RequestException reason) {
        ServiceRequest unanswered;
        Flow.Subscription source;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            unanswered = waiting;
            waiting = null;
            ready.clear();
            readyBytes = 0;
            source = complete || failure != null ? null : upstream;
        }
        if (source != null) {
            source.cancel();
        }
        ended.run();
        if (unanswered != null) {
            unanswered.fail(reason.status(), reason.text());
        }
    }

    /** Answers a request that has waited, and ends a stream whose subscriber has not asked for anything. */
    void tick(long nowNs, long pollNs, long idleNs) {
        ServiceRequest answered = null;
        boolean idle;
        synchronized (this) {
            if (waiting != null && (credit > 0 || asked)) {
                lastNs = nowNs;
            }
            idle = nowNs - lastNs > idleNs;
            if (waiting != null && !idle && nowNs - waitingNs > pollNs) {
                answered = waiting;
                waiting = null;
            }
        }
        if (answered != null) {
            answered.reply(OPEN_HEAD);
        }
        if (idle) {
            end(new RequestException(
                    RequestStatus.DEADLINE_EXCEEDED,
                    "the stream's subscriber has asked for nothing for more than "
                            + TimeUnit.NANOSECONDS.toMillis(idleNs)
                            + " ms; ask for items, or raise ServeOptions.streamIdle"));
        }
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        boolean unwanted;
        synchronized (this) {
            unwanted = over || upstream != null;
            if (!unwanted) {
                upstream = subscription;
            }
        }
        if (unwanted) {
            subscription.cancel();
        } else {
            advance();
        }
    }

    @Override
    public void onNext(Object item) {
        byte[] encoded;
        try {
            encoded = coders.encodeResult(item).toBytes();
        } catch (RequestException unwritable) {
            Flow.Subscription source;
            synchronized (this) {
                source = upstream;
            }
            if (source != null) {
                source.cancel();
            }
            onError(unwritable);
            return;
        }
        synchronized (this) {
            asked = false;
            if (!over && !complete && failure == null) {
                if (ready.isEmpty()) {
                    firstReadyNs = System.nanoTime();
                }
                ready.add(encoded);
                readyBytes += encoded.length + Integer.BYTES;
            }
        }
        advance();
    }

    @Override
    public void onError(Throwable thrown) {
        RequestException refusal = method.refusal(thrown);
        synchronized (this) {
            if (!complete && failure == null) {
                failure = refusal;
            }
        }
        advance();
    }

    @Override
    public void onComplete() {
        synchronized (this) {
            complete = failure == null;
        }
        advance();
    }

    /** Does what can be done now. Publishers call back inside of it, which a loop serves without growing the stack. */
    private void advance() {
        synchronized (this) {
            if (advancing) {
                again = true;
                return;
            }
            advancing = true;
        }
        boolean more = true;
        while (more) {
            Flow.Subscription source = null;
            Answer answer = null;
            synchronized (this) {
                again = false;
                if (mayAsk()) {
                    asked = true;
                    credit--;
                    source = upstream;
                } else {
                    answer = answer();
                }
            }
            if (source != null) {
                source.request(1);
            } else if (answer != null) {
                answer.send();
            }
            synchronized (this) {
                more = again || source != null || answer != null;
                advancing = more;
            }
        }
    }

    private boolean mayAsk() {
        boolean gathered = waiting != null && !ready.isEmpty() && System.nanoTime() - firstReadyNs > GATHER_NS;
        return upstream != null
                && !asked
                && credit > 0
                && readyBytes < bytesMax
                && !complete
                && failure == null
                && !over
                && !gathered;
    }

    /** What the waiting request gets, if there is one and anything for it. */
    private @Nullable Answer answer() {
        ServiceRequest request = waiting;
        boolean last = complete || failure != null;
        if (request == null || over || (ready.isEmpty() && !last)) {
            return null;
        }
        waiting = null;
        lastNs = System.nanoTime();
        // A failure has a status, which has no room beside items: they go first.
        boolean closing = last && (failure == null || ready.isEmpty());
        Answer answer = new Answer(request, List.copyOf(ready), readyBytes, closing, failure, ended);
        ready.clear();
        readyBytes = 0;
        over = closing;
        return answer;
    }

    private record Answer(
            ServiceRequest request,
            List<byte[]> items,
            int bytes,
            boolean last,
            @Nullable RequestException failure,
            Runnable ended) {
        void send() {
            if (last) {
                ended.run();
            }
            if (last && failure != null) {
                request.fail(failure.status(), failure.text());
                return;
            }
            request.reply(StreamItems.write(last ? END_HEAD : OPEN_HEAD, items, bytes));
        }
    }
}
