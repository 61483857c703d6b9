package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Perftest;
import io.fairlead.cli.measure.Work;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.Subscription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Subjects of a NATS server, which each message goes through. The client's own threads read; a receiver waits for its queue, whatever it is to do when idle. */
final class NatsLink implements Link {
    /** The program, and the Debian package that has it. */
    static final String PACKAGE = "nats-server";

    private static final String FORTH = "bench.forth";
    private static final String BACK = "bench.back";
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
    private static final Duration AWAIT = Duration.ofSeconds(1);
    /** Messages after which the publisher waits until the server has them: the protocol has no other brake. */
    private static final int WINDOW = 10_000;

    private final @Nullable Server server;
    private final Connection connection;
    private final Subscription subscription;
    private final String to;
    private int size;
    private long expected;

    private NatsLink(@Nullable Server server, String url, String to, String from)
            throws IOException, InterruptedException, TimeoutException {
        this.server = server;
        this.to = to;
        connection = Nats.connect(Options.builder()
                .server(url)
                .connectionTimeout(CONNECT_LIMIT)
                .maxReconnects(0)
                .build());
        subscription = connection.subscribe(from);
        subscription.setPendingLimits(-1, -1);
        connection.flush(CONNECT_LIMIT);
    }

    /** Starts a server and connects to it, or connects to the server of the other side. */
    static NatsLink open(Optional<String> address) throws IOException, InterruptedException, TimeoutException {
        if (address.isPresent()) {
            return new NatsLink(null, address.get(), FORTH, BACK);
        }
        Server server = Server.start(program().orElseThrow(() -> new IOException(PACKAGE + " is not installed")));
        long untilNs = System.nanoTime() + CONNECT_LIMIT.toNanos();
        while (true) {
            try {
                return new NatsLink(server, server.url(), BACK, FORTH);
            } catch (IOException notYet) {
                if (System.nanoTime() - untilNs > 0) {
                    server.close();
                    throw notYet;
                }
            }
        }
    }

    static Optional<Path> program() {
        return Perftest.inPath(PACKAGE);
    }

    /** The broker's process, on a port of its own; as it comes but for what it may hold for a slow subscriber, which it would cut off otherwise. */
    private record Server(Process process, Path settings, int port) {
        static Server start(Path program) throws IOException {
            Path settings = Files.createTempFile("fairlead-bench-nats", ".conf");
            Files.writeString(settings, "max_pending: 1GB\n");
            int port = Perftest.freePort();
            Process process = new ProcessBuilder(List.of(
                            program.toString(),
                            "-a",
                            "127.0.0.1",
                            "-p",
                            String.valueOf(port),
                            "-c",
                            settings.toString()))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new Server(process, settings, port);
        }

        String url() {
            return "nats://127.0.0.1:" + port;
        }

        void close() throws IOException {
            process.destroy();
            Files.deleteIfExists(settings);
        }
    }

    @Override
    public String address() {
        return server == null ? "" : server.url();
    }

    @Override
    public void begin(Work work, int sends, int receives, int inFlight) {
        size = work.size();
        expected = 0;
    }

    @Override
    public void send(long number) {
        connection.publish(to, Payload.bytes(size, number));
        if (number % WINDOW == WINDOW - 1) {
            flushed();
        }
    }

    private void flushed() {
        try {
            connection.flush(CONNECT_LIMIT);
        } catch (TimeoutException late) {
            throw new IllegalStateException("the server does not answer", late);
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        }
    }

    private static IllegalStateException interrupted(InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted", interrupted);
    }

    @Override
    public void flush() {
        try {
            connection.flushBuffer();
        } catch (IOException failure) {
            throw new IllegalStateException("the server is gone", failure);
        }
    }

    @Override
    public int poll() {
        Message message = next();
        if (message == null) {
            return 0;
        }
        Payload.check(message.getData(), size, expected);
        expected++;
        return 1;
    }

    private @Nullable Message next() {
        try {
            return subscription.nextMessage(AWAIT);
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
            if (server != null) {
                server.close();
            }
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        } catch (IOException failure) {
            throw new IllegalStateException("the server's settings cannot be deleted", failure);
        }
    }
}
