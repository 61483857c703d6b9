package io.fairlead.system.network;

import io.fairlead.FairleadConfig;
import io.fairlead.ReconnectPolicy;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** How the processes of these tests are configured, and what they say on standard output to a {@link Talker}. */
final class Report {
    /** How long a peer's host may be silent. */
    static final Duration LIVENESS = Duration.ofMillis(500);

    /** How long a peer may be silent whose host answers. */
    static final Duration STALL = Duration.ofSeconds(2);

    /** The same where a connection outlives silence: for longer than any fault, even on a busy machine. */
    private static final Duration STALL_WITH_FAILOVER = Duration.ofMinutes(1);

    /** The pause between two reports of a process. */
    static final Duration EVERY = Duration.ofMillis(50);

    /** Reports of a process within {@link #STALL}. */
    static final int STALLED = (int) (STALL.toMillis() / EVERY.toMillis());

    /** How soon a node connects again. */
    static final ReconnectPolicy RECONNECT =
            ReconnectPolicy.afterFailure(Duration.ofMillis(50), Duration.ofMillis(250));

    private Report() {}

    static FairleadConfig config(String failover) {
        return FairleadConfig.defaults()
                .with(ConfigKeys.TRANSPORTS, "tcp")
                .with(ConfigKeys.SECURITY_ALLOW_INSECURE, true)
                .with(ConfigKeys.LIVENESS_TIMEOUT, LIVENESS)
                .with(ConfigKeys.STALL_TIMEOUT, failover.equals("on") ? STALL_WITH_FAILOVER : STALL)
                .with(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(10))
                .with(ConfigKeys.FAILOVER_TIMEOUT, Duration.ofMinutes(2))
                .with(ConfigKeys.FAILOVER, failover);
    }

    /**
     * Says how far the process has come.
     *
     * @param values {@code name=number}, with spaces between them
     */
    static void progress(Supplier<String> values) {
        // Before the values, so that none is older. Linux has one such time for all processes.
        long madeNs = System.nanoTime();
        say("progress " + values.get() + " sockets=" + sockets() + " time=" + madeNs);
    }

    static void say(String line) {
        System.out.println(line);
    }

    /** The sockets that this process has open. */
    private static long sockets() {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            List<Path> open = descriptors.toList();
            return open.stream().filter(Report::isSocket).count();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (NoSuchFileException closed) {
            // It was closed meanwhile, as that of the listing itself.
            return false;
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
