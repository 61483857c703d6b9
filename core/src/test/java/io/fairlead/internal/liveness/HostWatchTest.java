package io.fairlead.internal.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostWatchTest {
    private static final String NAME = "watch-test";
    private static final long LIVENESS_NS = Duration.ofMillis(100).toNanos();

    @Test
    void shouldSeeThatAHostAnswers() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/net/tcp")), "no Linux");
        try (HostWatch watch = new HostWatch(NAME, LIVENESS_NS);
                ServerSocketChannel listener = listener();
                SocketChannel connection = SocketChannel.open(listener.getLocalAddress())) {
            WatchedHost host = watch.watch(connection);
            await(host::isAsked, "the first look");
            assertEquals(HostAnswer.ANSWERS, host.answer());
        }
    }

    @Test
    void shouldKnowNothingWithoutATable(@TempDir Path empty) throws IOException {
        try (HostWatch watch = new HostWatch(new SocketTable(empty), HostWatch.threads(NAME), LIVENESS_NS);
                ServerSocketChannel listener = listener();
                SocketChannel connection = SocketChannel.open(listener.getLocalAddress())) {
            WatchedHost host = watch.watch(connection);
            await(host::isAsked, "the first look");
            assertEquals(HostAnswer.UNKNOWN, host.answer());
        }
    }

    @Test
    void shouldKnowNothingUntilAThreadStarts() throws IOException {
        AtomicBoolean scarce = new AtomicBoolean(true);
        ThreadFactory threads = HostWatch.threads(NAME);
        ThreadFactory failing = task -> scarce.get() ? new UnstartableThread() : threads.newThread(task);
        try (HostWatch watch = new HostWatch(SocketTable.ofSystem(), failing, LIVENESS_NS);
                ServerSocketChannel listener = listener();
                SocketChannel connection = SocketChannel.open(listener.getLocalAddress());
                SocketChannel second = SocketChannel.open(listener.getLocalAddress())) {
            WatchedHost host = watch.watch(connection);
            assertTrue(host.isAsked(), "as where there is no table");
            assertEquals(HostAnswer.UNKNOWN, host.answer());

            scarce.set(false);
            WatchedHost later = watch.watch(second);
            await(later::isAsked, "the first look");
            assertTrue(isRunning());
        }
    }

    @Test
    void shouldGoOnAfterAnErrorOfALook() throws IOException {
        AtomicBoolean scarce = new AtomicBoolean(true);
        SocketTable table = new SocketTable(Path.of("/nowhere")) {
            @Override
            Map<String, HostAnswer> read(Set<String> keys) {
                if (scarce.get()) {
                    throw new OutOfMemoryError("a test's");
                }
                return keys.stream().collect(Collectors.toMap(key -> key, _ -> HostAnswer.ANSWERS));
            }
        };
        try (HostWatch watch = new HostWatch(table, HostWatch.threads(NAME), LIVENESS_NS);
                ServerSocketChannel listener = listener();
                SocketChannel connection = SocketChannel.open(listener.getLocalAddress())) {
            WatchedHost host = watch.watch(connection);
            await(host::isAsked, "the look that fails");
            assertEquals(HostAnswer.UNKNOWN, host.answer());
            scarce.set(false);
            await(() -> host.answer() == HostAnswer.ANSWERS, "the look after it");
        }
    }

    @Test
    void shouldKnowNothingOfAClosedConnection() throws IOException {
        try (HostWatch watch = new HostWatch(NAME, LIVENESS_NS)) {
            SocketChannel closed = SocketChannel.open();
            closed.close();
            WatchedHost host = watch.watch(closed);
            await(host::isAsked, "the first look");
            assertEquals(HostAnswer.UNKNOWN, host.answer());
        }
    }

    @Test
    void shouldHaveAThreadOnlyWhileItWatches() throws IOException {
        try (HostWatch watch = new HostWatch(NAME, LIVENESS_NS);
                ServerSocketChannel listener = listener();
                SocketChannel connection = SocketChannel.open(listener.getLocalAddress())) {
            for (int i = 0; i < 3; i++) {
                WatchedHost host = watch.watch(connection);
                await(host::isAsked, "the first look");
                assertTrue(isRunning());
                host.close();
                host.close();
                await(() -> !isRunning(), "the thread to end");
            }
        }
    }

    /** As where the process may have no more threads. */
    private static final class UnstartableThread extends Thread {
        @Override
        public void start() {
            throw new OutOfMemoryError("unable to create native thread: a test's");
        }
    }

    private static boolean isRunning() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("fairlead-hosts-" + NAME));
    }

    private static ServerSocketChannel listener() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static void await(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, () -> "no deadline is long enough for " + what);
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }
}
