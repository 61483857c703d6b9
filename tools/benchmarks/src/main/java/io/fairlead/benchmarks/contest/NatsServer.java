package io.fairlead.benchmarks.contest;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The broker's process, on a port of its own. */
final class NatsServer implements AutoCloseable {
    /** The Debian package that has it. */
    static final String PACKAGE = "nats-server";

    private final Process process;
    private final Path settings;
    private final int port;

    private NatsServer(Process process, Path settings, int port) {
        this.process = process;
        this.settings = settings;
        this.port = port;
    }

    static Optional<Path> find() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, PACKAGE))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts it, as it comes but for what it may hold for a slow subscriber, whom it would cut off otherwise. */
    static NatsServer start(Path program) throws IOException {
        Path settings = Files.createTempFile("fairlead-bench-nats", ".conf");
        Files.writeString(settings, "max_pending: 1GB\n");
        int port = FreePort.tcp();
        Process process = new ProcessBuilder(List.of(
                        program.toString(), "-a", "127.0.0.1", "-p", String.valueOf(port), "-c", settings.toString()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new NatsServer(process, settings, port);
    }

    String url() {
        return "nats://127.0.0.1:" + port;
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        Files.deleteIfExists(settings);
    }
}
