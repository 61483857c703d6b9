package io.fairlead.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.cli.perf.Container;
import io.fairlead.cli.perf.PerfProcess;
import io.fairlead.samples.data.DataSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The demo with each process in a {@linkplain Container container} of its own, in one pod. */
@Timeout(180)
final class DemoContainersTest {
    @TempDir
    private Path folder;

    @Test
    void shouldProveWhatSubscribersInOtherContainersGot() throws Exception {
        assumeTrue(Container.canRun(folder), "this user may make no containers");
        List<PerfProcess> all = new ArrayList<>();
        try {
            PerfProcess publisher = start("demo-publisher", "publisher", "--port=0", "--rate=20000", "--seconds=3");
            all.add(publisher);
            int port = await(publisher, DemoEvent.Listening.class).port();
            List<PerfProcess> subscribers = new ArrayList<>();
            // One after the other: the publisher waits for all, and a loaded machine starts one JVM sooner than three.
            for (Role role : Role.values()) {
                PerfProcess subscriber = start(
                        "demo-subscriber",
                        role.label(),
                        "--role=" + role,
                        "--connect=127.0.0.1:" + port,
                        "--warm-up=1");
                all.add(subscriber);
                subscribers.add(subscriber);
                assertEquals("shm", await(subscriber, DemoEvent.Connected.class).transport());
            }
            List<Verdict.Claim> claims = new ArrayList<>();
            for (PerfProcess subscriber : subscribers) {
                claims.add(await(subscriber, DemoEvent.Received.class).claim());
            }
            long sent = await(publisher, DemoEvent.Published.class).sent();
            DataSet rows = DataSet.load();
            for (Verdict.Claim claim : claims) {
                assertEquals(Optional.empty(), Verdict.objection(rows, sent, claim));
            }
        } finally {
            all.forEach(PerfProcess::close);
        }
    }

    private PerfProcess start(String command, String container, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addAll(List.of("-s", "transports=shm", "-s", "connect.timeout=60s", "-s", "listener.hello-timeout=60s"));
        return PerfProcess.startCommand(
                Container.command(folder, container), command, Map.of(), words.toArray(String[]::new));
    }

    /** The next event of a kind; those before it are passed over. */
    private static <T extends DemoEvent> T await(PerfProcess process, Class<T> kind) throws IOException {
        while (true) {
            Optional<DemoEvent> event = DemoEvent.parse(process.line());
            if (event.isPresent() && kind.isInstance(event.get())) {
                return kind.cast(event.get());
            }
        }
    }
}
