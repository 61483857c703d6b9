package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.PathPolicy;
import io.fairlead.cli.measure.PingPong;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FairleadPingPongTest {
    private static final int SIZE = 8;

    @Test
    void shouldAnswerAMessageThatCameWhileItSettled() throws InterruptedException {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        CountDownLatch listening = new CountDownLatch(1);
        AtomicInteger port = new AtomicInteger();
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<Void> asking = CompletableFuture.runAsync(() -> {
            try (MetricsCostSide side = MetricsCostSide.without(PathPolicy.TCP_ONLY)) {
                Connected connected = new Connected();
                port.set(side.worker().listen(anyPort, connected).address().getPort());
                listening.countDown();
                while (connected.endpoint == null) {
                    side.worker().progress();
                    Thread.yield();
                }
                try (PingPong pingPong = MetricsCost.pingPong(side, connected.endpoint)) {
                    pingPong.ask();
                    asked.incrementAndGet();
                    pingPong.ask();
                    asked.incrementAndGet();
                }
            }
        });
        listening.await();
        try (MetricsCostSide side = MetricsCostSide.without(PathPolicy.TCP_ONLY)) {
            Endpoint endpoint = side.worker()
                    .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.get()), EndpointHandler.NONE);
            while (endpoint.state() == EndpointState.CONNECTING) {
                side.worker().progress();
                Thread.yield();
            }
            try (PingPong pingPong = MetricsCost.pingPong(side, endpoint)) {
                pingPong.answer();
                settleUntilAskedAgain(pingPong, asked);
                pingPong.answer();
                pingPong.settle();
                asking.orTimeout(30, TimeUnit.SECONDS).join();
            }
        }
        assertEquals(2, asked.get());
    }

    /** Long enough for the second message to have arrived: it is sent at once when the first answer is there. */
    private static void settleUntilAskedAgain(PingPong pingPong, AtomicInteger asked) {
        long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
        while (asked.get() == 0 || System.nanoTime() - untilNs < 0) {
            pingPong.settle();
            Thread.yield();
        }
    }

    private static final class Connected implements EndpointHandler {
        private volatile Endpoint endpoint;

        @Override
        public void connected(Endpoint connected) {
            endpoint = connected;
        }
    }
}
