package io.fairlead.cli.pubsub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.cli.perf.Container;
import io.fairlead.cli.perf.PerfProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A publisher and a subscriber in two {@linkplain Container containers} of a pod. */
@Timeout(180)
final class ContainersTest {
    private static final int MESSAGES = 20_000;

    @TempDir
    private Path folder;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void shouldPublishOverSharedMemoryFromOneContainerToAnother() throws Exception {
        assumeTrue(Container.canRun(folder), "this user may make no containers");
        String address = "127.0.0.1:" + freePort();
        List<String> messages =
                IntStream.range(0, MESSAGES).mapToObj(i -> "message " + i).toList();
        try (PerfProcess publisher = PerfProcess.startCommand(
                        Container.command(folder, "publisher"),
                        "pub",
                        Map.of(),
                        "rows",
                        "-l",
                        address,
                        "-s",
                        "transports=shm");
                PerfProcess subscriber = PerfProcess.startCommand(
                        Container.command(folder, "subscriber"),
                        "sub",
                        Map.of(),
                        "rows",
                        "-C",
                        address,
                        "--wait",
                        "60",
                        "-s",
                        "transports=shm")) {
            publisher.write(messages);
            assertEquals(messages, subscriber.assertStatus(0));
            publisher.assertStatus(0);
        }
    }
}
