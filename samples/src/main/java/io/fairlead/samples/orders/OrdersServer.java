package io.fairlead.samples.orders;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.codec.jackson.JacksonCodec;
import io.fairlead.metrics.MetricsServer;
import io.fairlead.node.Node;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.services.TypedServices;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A process that serves orders. */
public final class OrdersServer {
    /** Runs on a virtual thread for each call, many at once, and may block. */
    static final class OrderBook implements Orders {
        private final AtomicLong numbers = new AtomicLong();

        @Override
        public Receipt place(Order order) {
            if (order.count() < 1) {
                throw new RequestException(
                        RequestStatus.INVALID_ARGUMENT, "count=" + order.count() + "; order at least 1");
            }
            return new Receipt(numbers.incrementAndGet(), order);
        }
    }

    /** Serves until SIGTERM; the argument is where. */
    public static void main(String[] args) throws InterruptedException {
        Node node = Node.start(FairleadConfig.load());
        TypedServices.serve(node, Orders.class, new OrderBook(), new JacksonCodec());
        Listener listener = node.listen(args[0], peer -> {});
        // After the listener, because /ready is answered from here on. Without metrics.port this does nothing.
        MetricsServer.start(node.context());
        System.out.println("serving at " + listener.address());

        // At SIGTERM running calls are answered, and callers go to other members.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            node.drain(Duration.ofSeconds(20));
            node.close();
        }));
        // Fairlead's threads do not keep a process alive.
        Thread.currentThread().join();
    }
}
