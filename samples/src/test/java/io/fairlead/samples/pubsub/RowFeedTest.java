package io.fairlead.samples.pubsub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.Worker;
import io.fairlead.samples.data.DataSet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The publisher in one thread, and its subscriber in another. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RowFeedTest {
    private static final int ROWS = 5000;
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final DataSet data = DataSet.load();

    private record Taken(long received, long missed, long lastNumber, List<String> wrong) {}

    @Test
    void shouldAccountForEveryRow() throws Exception {
        CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
        CompletableFuture<Void> published = CompletableFuture.runAsync(() -> {
            try (Context context = Context.open(FairleadConfig.defaults());
                    Worker worker = context.newWorker();
                    RowPublisher publisher = new RowPublisher(worker, ANY_PORT)) {
                listening.complete(publisher.address());
                publisher.publish(ROWS);
            } catch (RuntimeException failed) {
                listening.completeExceptionally(failed);
                throw failed;
            }
        });
        InetSocketAddress address = listening.get(60, TimeUnit.SECONDS);
        Taken taken = take(address);
        published.get(60, TimeUnit.SECONDS);
        assertEquals(List.of(), taken.wrong());
        assertTrue(taken.received() > 0, taken::toString);
        assertEquals(ROWS, taken.received() + taken.missed(), taken::toString);
        // What is dropped is the oldest.
        assertEquals(ROWS, taken.lastNumber(), taken::toString);
    }

    private Taken take(InetSocketAddress address) {
        List<String> wrong = new ArrayList<>();
        long[] last = new long[1];
        try (Context context = Context.open(FairleadConfig.defaults());
                Worker worker = context.newWorker();
                RowSubscriber subscriber = new RowSubscriber(worker, address, (row, number) -> {
                    last[0] = number;
                    if (!row.equals(new String(data.row(number - 1), StandardCharsets.UTF_8))) {
                        wrong.add(number + " " + row);
                    }
                })) {
            subscriber.run();
            return new Taken(subscriber.received(), subscriber.missed(), last[0], wrong);
        }
    }
}
