package io.fairlead.samples.snippets;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.codec.jackson.JacksonCodec;
import io.fairlead.node.Node;
import io.fairlead.node.PeerSet;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.services.ClientOptions;
import io.fairlead.services.TypedService;
import io.fairlead.services.TypedServices;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/** A service as a Java interface, with records as JSON. */
public final class TypedOrders {
    private TypedOrders() {}

    // @start region="interface"
    /** What a caller sends. */
    public record Order(String item, int count) {}

    /** What a caller gets. */
    public record Receipt(long number, Order order) {}

    /** The service. */
    public interface Orders {
        /** Blocks its caller until the service has answered. */
        Receipt place(Order order);

        /** The same for callers that do not wait. */
        CompletableFuture<Receipt> find(long number);

        /** A stream: the subscriber decides how much it takes. */
        Flow.Publisher<Receipt> all();
    }
    // @end

    // @start region="service"
    /** Keeps orders in memory. */
    static final class OrderBook implements Orders {
        private final AtomicLong numbers = new AtomicLong();
        private final ConcurrentSkipListMap<Long, Receipt> receipts = new ConcurrentSkipListMap<>();

        @Override
        public Receipt place(Order order) {
            if (order.count() < 1) {
                throw new RequestException(
                        RequestStatus.INVALID_ARGUMENT, "count=" + order.count() + "; order at least 1");
            }
            Receipt receipt = new Receipt(numbers.incrementAndGet(), order);
            receipts.put(receipt.number(), receipt);
            return receipt;
        }

        @Override
        public CompletableFuture<Receipt> find(long number) {
            Receipt receipt = receipts.get(number);
            return receipt == null
                    ? CompletableFuture.failedFuture(new RequestException(RequestStatus.NOT_FOUND, "order=" + number))
                    : CompletableFuture.completedFuture(receipt);
        }

        @Override
        public Flow.Publisher<Receipt> all() {
            return new ListPublisher<>(List.copyOf(receipts.values()));
        }
    }
    // @end

    /**
     * Serves and calls.
     *
     * @param args none
     */
    public static void main(String[] args) {
        // @start region="serve"
        try (Node node = Node.start(FairleadConfig.load());
                TypedService orders = TypedServices.serve(node, Orders.class, new OrderBook(), new JacksonCodec())) {
            Listener listener = node.listen("127.0.0.1:0", peer -> {});
            call("static:127.0.0.1:" + listener.address().getPort());
            // Before a restart: take no further calls, and let those that run end.
            orders.drain(Duration.ofSeconds(20));
        }
        // @end
    }

    private static void call(String name) {
        // @start region="call"
        try (Node node = Node.start(FairleadConfig.load());
                PeerSet members = node.peers(name).join()) {
            ClientOptions options = ClientOptions.DEFAULT.withDeadline(Duration.ofSeconds(2));
            Orders orders = TypedServices.client(members, Orders.class, new JacksonCodec(), options);

            System.out.println(orders.place(new Order("rope", 2)));
            System.out.println(orders.find(1).join());
            try {
                orders.place(new Order("rope", 0));
            } catch (RequestException refused) {
                System.out.println(refused.status() + " " + refused.text());
            }
            // Both calls together have half a second.
            Receipt last = TypedServices.within(Duration.ofMillis(500), () -> {
                orders.place(new Order("block", 1));
                return orders.place(new Order("cleat", 4));
            });
            System.out.println(last.number());

            CompletableFuture<Void> ended = new CompletableFuture<>();
            orders.all().subscribe(new PrintingSubscriber<>(ended));
            ended.join();
        }
        // @end
    }

    /** Publishes a list: each item inside of the request for it. */
    private record ListPublisher<T>(List<T> items) implements Flow.Publisher<T> {
        @Override
        public void subscribe(Flow.Subscriber<? super T> subscriber) {
            subscriber.onSubscribe(new Flow.Subscription() {
                private int next;

                @Override
                public void request(long count) {
                    for (long left = count; left > 0 && next < items.size(); left--) {
                        subscriber.onNext(items.get(next++));
                    }
                    if (next == items.size()) {
                        subscriber.onComplete();
                    }
                }

                @Override
                public void cancel() {
                    next = items.size();
                }
            });
        }
    }

    // @start region="subscriber"
    /** Takes all items; one that asks for fewer in onSubscribe asks for more in onNext. It may block. */
    private record PrintingSubscriber<T>(CompletableFuture<Void> ended) implements Flow.Subscriber<T> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(T item) {
            System.out.println(item);
        }

        @Override
        public void onError(Throwable failure) {
            ended.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            ended.complete(null);
        }
    }
    // @end
}
