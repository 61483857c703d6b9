package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ApplicationAvailabilityBean;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

/** An application that ends answers the requests that run, and says first that it takes no more. */
@Timeout(120)
final class DrainTest {
    private static final int RUNNING = 10;
    private static final long TAG = 3;
    private static final Duration LONG = Duration.ofMinutes(10);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FairleadAutoConfiguration.class))
            .withBean(ApplicationAvailabilityBean.class);

    @Test
    void shouldAnswerRunningRequestsWhenTheApplicationEnds() {
        runner.run(context -> {
            BlockingQueue<ServiceRequest> held = new LinkedBlockingQueue<>();
            Node node = context.getBean(Node.class);
            node.serve(TAG, held::add);
            String address = "127.0.0.1:"
                    + node.listen(Addresses.resolved("127.0.0.1:0"), _ -> {})
                            .address()
                            .getPort();
            ApplicationAvailability availability = context.getBean(ApplicationAvailability.class);
            try (Node caller = Node.start(FairleadConfig.defaults())) {
                Peer peer = caller.connect(address).join();
                List<CompletableFuture<Message>> asked = new ArrayList<>();
                for (int i = 0; i < RUNNING; i++) {
                    asked.add(peer.request(new byte[] {(byte) i}, TAG, LONG));
                }
                List<ServiceRequest> running = new ArrayList<>();
                for (int i = 0; i < RUNNING; i++) {
                    running.add(held.poll(60, TimeUnit.SECONDS));
                }
                ConfigurableApplicationContext application = context.getSourceApplicationContext();
                Thread ending = Thread.ofVirtual().start(application::close);
                Await.until("refused", () -> isRefused(peer.request(new byte[1], TAG + 1, LONG)));
                assertEquals(ReadinessState.REFUSING_TRAFFIC, availability.getReadinessState());
                assertFalse(asked.stream().anyMatch(CompletableFuture::isDone));
                running.forEach(request -> request.reply(request.bytes()));
                for (int i = 0; i < RUNNING; i++) {
                    assertEquals(
                            (byte) i, asked.get(i).get(60, TimeUnit.SECONDS).bytes()[0]);
                }
                ending.join();
            }
        });
    }

    private static boolean isRefused(CompletableFuture<Message> request) {
        RequestException refusal = (RequestException) request.handle((_, failure) -> failure)
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
        assertTrue(refusal.isSafeToRetry());
        return refusal.status() == RequestStatus.UNAVAILABLE;
    }

    @Test
    void shouldEndWithoutAnAnswerWhenTheTimeIsOver() {
        runner.withPropertyValues("server.shutdown=immediate", "fairlead.close.timeout=20 ms")
                .run(context -> {
                    BlockingQueue<ServiceRequest> held = new LinkedBlockingQueue<>();
                    Node node = context.getBean(Node.class);
                    node.serve(TAG, held::add);
                    String address = "127.0.0.1:"
                            + node.listen(Addresses.resolved("127.0.0.1:0"), _ -> {})
                                    .address()
                                    .getPort();
                    try (Node caller = Node.start(FairleadConfig.defaults())) {
                        CompletableFuture<Message> asked =
                                caller.connect(address).join().request(new byte[1], TAG, LONG);
                        held.poll(60, TimeUnit.SECONDS);
                        context.getSourceApplicationContext().close();
                        Throwable failure = asked.handle((_, thrown) -> thrown)
                                .orTimeout(60, TimeUnit.SECONDS)
                                .join();
                        assertEquals(RequestStatus.UNAVAILABLE, ((RequestException) failure).status());
                    }
                });
    }
}
