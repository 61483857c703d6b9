package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.function.Executable;

/** What the suites about typed services share: a service, its interface, and what a subscriber and a publisher see. */
abstract class TypedCases extends SetRequestCases {
    TypedCases() {}

    /** What the cases serve and call. */
    public interface Desk {
        /** Returns a text. */
        String greet(String name);

        /** Returns a number. */
        long next(long number);

        /** Takes no argument and returns nothing. */
        void reset();

        /** Returns a future. */
        CompletableFuture<String> later(String name);

        /** Publishes numbers. */
        Flow.Publisher<Long> count(String what);

        /** Runs at the caller. */
        default String greetAll(String first, String second) {
            return greet(first) + " " + greet(second);
        }
    }

    /** A desk that answers each method in the plainest way; cases change one of them. */
    static class PlainDesk implements Desk {
        @Override
        public String greet(String name) {
            return "hello, " + name;
        }

        @Override
        public long next(long number) {
            return number + 1;
        }

        @Override
        public void reset() {}

        @Override
        public CompletableFuture<String> later(String name) {
            return CompletableFuture.completedFuture("later, " + name);
        }

        @Override
        public Flow.Publisher<Long> count(String what) {
            return new Numbers(3);
        }
    }

    static RequestException refusal(RequestStatus expected, Executable call) {
        RequestException refusal = assertThrows(RequestException.class, call);
        assertEquals(expected, refusal.status(), refusal::getMessage);
        assertEquals(1, String.valueOf(refusal.getMessage()).lines().count(), refusal::getMessage);
        return refusal;
    }

    /** Publishes the numbers from 0 up to a limit, each inside of the request for it. */
    static final class Numbers implements Flow.Publisher<Long> {
        final AtomicLong asked = new AtomicLong();
        final BlockingQueue<String> ends = new LinkedBlockingQueue<>();
        private final long limit;
        private final @Nullable RuntimeException failure;

        Numbers(long limit) {
            this(limit, null);
        }

        Numbers(long limit, @Nullable RuntimeException failure) {
            this.limit = limit;
            this.failure = failure;
        }

        @Override
        public void subscribe(Flow.Subscriber<? super Long> subscriber) {
            subscriber.onSubscribe(new Flow.Subscription() {
                private long next;

                @Override
                public void request(long count) {
                    asked.addAndGet(count);
                    for (long end = next + count; next < end && next < limit; ) {
                        subscriber.onNext(next++);
                    }
                    if (next == limit && failure != null) {
                        subscriber.onError(failure);
                    } else if (next == limit) {
                        subscriber.onComplete();
                    }
                }

                @Override
                public void cancel() {
                    ends.add("cancelled");
                }
            });
        }
    }

    /** Keeps what a subscriber gets. It asks for items only when the case does. */
    static final class Items implements Flow.Subscriber<Long> {
        final BlockingQueue<Flow.Subscription> subscriptions = new LinkedBlockingQueue<>();
        final BlockingQueue<Object> signals = new LinkedBlockingQueue<>();

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscriptions.add(subscription);
        }

        @Override
        public void onNext(Long item) {
            signals.add(item);
        }

        @Override
        public void onError(Throwable failure) {
            signals.add(failure);
        }

        @Override
        public void onComplete() {
            signals.add("complete");
        }

        static Items of(Flow.Publisher<Long> publisher) {
            Items items = new Items();
            publisher.subscribe(items);
            return items;
        }

        Flow.Subscription subscription() {
            Flow.Subscription subscription = take(subscriptions, "a subscription");
            subscriptions.add(subscription);
            return subscription;
        }

        Items request(long count) {
            subscription().request(count);
            return this;
        }

        Object next() {
            return take(signals, "a signal of a stream");
        }

        /** The numbers from one on, in order. */
        void expect(long from, long to) {
            for (long i = from; i < to; i++) {
                assertEquals(i, next());
            }
        }

        RequestException refusal(RequestStatus expected) {
            Object signal = next();
            if (signal instanceof RequestException refusal) {
                assertEquals(expected, refusal.status(), refusal::getMessage);
                return refusal;
            }
            throw new AssertionError("expected " + expected + ", got " + signal);
        }
    }
}
