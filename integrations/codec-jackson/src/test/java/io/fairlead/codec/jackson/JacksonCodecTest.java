package io.fairlead.codec.jackson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.services.PayloadCoder;
import io.fairlead.services.TypedService;
import io.fairlead.services.TypedServices;
import io.fairlead.servicetest.TestNodes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records and other values as JSON. */
@Timeout(60)
final class JacksonCodecTest {
    /** What the cases carry. */
    record Item(String name, int count) {}

    /** Has everything that records of services usually have. */
    record Order(long id, List<Item> items, Optional<String> note, Instant placed, Map<String, Double> prices) {}

    /** A newer release of {@link Item}. */
    record NewItem(String name, int count, String colour) {}

    private static final Order ORDER = new Order(
            7,
            List.of(new Item("rope", 2), new Item("block", 1)),
            Optional.of("before \"noon\""),
            Instant.parse("2026-11-28T10:00:00.123456789Z"),
            Map.of("rope", 12.5));

    private static byte[] encode(PayloadCoder coder, Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        coder.encode(value, bytes);
        return bytes.toByteArray();
    }

    private static Object roundTrip(Type type, Object value) throws IOException {
        PayloadCoder coder = new JacksonCodec().coder(type);
        byte[] bytes = encode(coder, value);
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        assertEquals(value, coder.decode(direct));
        ByteBuffer inside = ByteBuffer.allocate(bytes.length + 8)
                .position(3)
                .put(bytes)
                .flip()
                .position(3)
                .slice();
        return coder.decode(inside);
    }

    @Test
    void shouldCarryRecordsAndTheirParts() throws IOException {
        assertEquals(ORDER, roundTrip(Order.class, ORDER));
        assertEquals("text", roundTrip(String.class, "text"));
        assertEquals(12L, roundTrip(Long.class, 12L));
    }

    interface Orders {
        List<Item> items(Map<String, Item> byName);

        CompletableFuture<Optional<Order>> find(long id);

        Flow.Publisher<Order> watch();
    }

    @Test
    void shouldCarryTypesWithArguments() throws Exception {
        Type list = Orders.class.getDeclaredMethod("items", Map.class).getGenericReturnType();
        assertEquals(ORDER.items(), roundTrip(list, ORDER.items()));
    }

    @Test
    void shouldIgnoreWhatTheOtherReleaseDoesNotHave() throws IOException {
        JacksonCodec codec = new JacksonCodec();
        byte[] newer = encode(codec.coder(NewItem.class), new NewItem("rope", 2, "red"));
        assertEquals(new Item("rope", 2), codec.coder(Item.class).decode(ByteBuffer.wrap(newer)));
        byte[] older = encode(codec.coder(Item.class), new Item("rope", 2));
        NewItem read = (NewItem) codec.coder(NewItem.class).decode(ByteBuffer.wrap(older));
        assertEquals(2, read.count());
    }

    @Test
    void shouldRefuseOtherBytes() {
        PayloadCoder coder = new JacksonCodec().coder(Item.class);
        for (String text : List.of("", "{", "null", "[]", "{\"name\":\"rope\",\"count\":\"many\"}")) {
            assertThrows(
                    RuntimeException.class,
                    () -> coder.decode(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))),
                    text);
        }
    }

    @Test
    void shouldServeAnInterfaceOfRecords() throws Exception {
        try (TestNodes nodes = TestNodes.start();
                SubmissionPublisher<Order> published = new SubmissionPublisher<>();
                TypedService _ = TypedServices.serve(
                        nodes.service(),
                        Orders.class,
                        new Orders() {
                            @Override
                            public List<Item> items(Map<String, Item> byName) {
                                return byName.values().stream().toList();
                            }

                            @Override
                            public CompletableFuture<Optional<Order>> find(long id) {
                                return CompletableFuture.completedFuture(
                                        id == ORDER.id() ? Optional.of(ORDER) : Optional.empty());
                            }

                            @Override
                            public Flow.Publisher<Order> watch() {
                                return published;
                            }
                        },
                        new JacksonCodec())) {
            Orders orders = TypedServices.client(nodes.peer(), Orders.class, new JacksonCodec());
            assertEquals(List.of(new Item("rope", 2)), orders.items(Map.of("a", new Item("rope", 2))));
            assertEquals(Optional.of(ORDER), orders.find(7).get(30, TimeUnit.SECONDS));
            assertEquals(Optional.empty(), orders.find(8).get(30, TimeUnit.SECONDS));
            CompletableFuture<Order> first = new CompletableFuture<>();
            orders.watch().subscribe(new FirstItem<>(first));
            while (!published.hasSubscribers()) {
                Thread.yield();
            }
            published.submit(ORDER);
            assertEquals(ORDER, first.get(30, TimeUnit.SECONDS));
        }
    }

    /** Completes a future with the first item. */
    private record FirstItem<T>(CompletableFuture<T> first) implements Flow.Subscriber<T> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(1);
        }

        @Override
        public void onNext(T item) {
            first.complete(item);
        }

        @Override
        public void onError(Throwable failure) {
            first.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            first.completeExceptionally(new IllegalStateException("no item"));
        }
    }
}
