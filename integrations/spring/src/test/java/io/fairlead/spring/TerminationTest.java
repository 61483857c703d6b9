package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.codec.jackson.JacksonCodec;
import io.fairlead.node.Node;
import io.fairlead.node.PeerSet;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.services.ClientOptions;
import io.fairlead.services.TypedServices;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A web application that serves as a process of its own and is ended by SIGTERM: calls that run are answered. */
@Timeout(240)
final class TerminationTest {
    private static final int RUNNING = 10;

    @TempDir
    private Path folder;

    /** A service whose calls end when their application is told to let them. */
    interface Desk {
        CompletableFuture<Integer> hold(int number);

        int held();
    }

    @FairleadService(codec = "json")
    static class HoldingDesk implements Desk {
        private static final CountDownLatch RELEASED = new CountDownLatch(1);
        private final AtomicInteger held = new AtomicInteger();

        @Override
        public CompletableFuture<Integer> hold(int number) {
            held.incrementAndGet();
            return CompletableFuture.supplyAsync(
                    () -> {
                        awaitRelease();
                        return number;
                    },
                    Thread::startVirtualThread);
        }

        private static void awaitRelease() {
            try {
                RELEASED.await();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }

        @Override
        public int held() {
            return held.get();
        }
    }

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(HoldingDesk.class)
    static class HoldingApplication {
        public static void main(String[] arguments) throws IOException {
            SpringApplication.run(HoldingApplication.class, arguments);
            int _ = System.in.read();
            HoldingDesk.RELEASED.countDown();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process start(int port) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HoldingApplication.class.getName(),
                        "--server.port=0",
                        "--spring.config.location=optional:none/",
                        "--fairlead.spring.services.address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output.txt").toFile())
                .start();
    }

    @Test
    void shouldAnswerTenCallsThatRunAtSigterm() throws Exception {
        int port = freePort();
        Process application = start(port);
        try (Node node = Node.start(FairleadConfig.defaults());
                PeerSet set = node.peers("static:127.0.0.1:" + port).join()) {
            Await.until("connected", () -> set.pick().isPresent());
            Desk desk = TypedServices.client(
                    set, Desk.class, new JacksonCodec(), ClientOptions.DEFAULT.withDeadline(Duration.ofMinutes(10)));
            List<CompletableFuture<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < RUNNING; i++) {
                calls.add(desk.hold(i));
            }
            Await.until("held", () -> desk.held() == RUNNING);
            // The set has no other member, and would wait for one.
            Desk direct = TypedServices.client(set.pick().orElseThrow(), Desk.class, new JacksonCodec());
            // Destroying the process itself would also close its input.
            application.toHandle().destroy();
            Await.until("draining", () -> isRefused(direct));
            assertFalse(calls.stream().anyMatch(CompletableFuture::isDone), calls::toString);
            application.getOutputStream().write('\n');
            application.getOutputStream().flush();
            for (int i = 0; i < RUNNING; i++) {
                assertEquals(i, calls.get(i).get(60, TimeUnit.SECONDS));
            }
            assertEquals(143, application.waitFor());
        } finally {
            application.destroyForcibly();
        }
    }

    private static boolean isRefused(Desk desk) {
        try {
            int _ = desk.held();
            return false;
        } catch (RequestException refused) {
            assertEquals(RequestStatus.UNAVAILABLE, refused.status());
            assertTrue(refused.isSafeToRetry());
            return true;
        }
    }
}
