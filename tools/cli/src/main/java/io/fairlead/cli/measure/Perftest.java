package io.fairlead.cli.measure;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** UCX's own measuring program, {@code ucx_perftest}, in two processes for each turn. It spins. */
public final class Perftest implements Contestant {
    /** Its name in tables and reports, and the program's. */
    public static final String TITLE = "ucx_perftest";
    /** Its name with UCX's peer error handling, which Fairlead needs: the option {@code -e} of the program. */
    public static final String WITH_ERROR_HANDLING = "ucx_perftest-e";
    /** What helps where it is missing. */
    public static final String MISSING = "not in the path; install the package ucx-utils";
    /** The UCX transports within a host. */
    public static final String LANES = "posix,self,cma";

    private static final long RUN_LIMIT_S = 120;
    private static final long LISTEN_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LISTEN_CHECK_NS = TimeUnit.MILLISECONDS.toNanos(2);
    /** Servers that are tried, since another process may take the port before the program does. */
    static final int SERVERS_MAX = 5;

    private static final int WARM_UP_MAX = 10_000;
    private static final int WARM_UP_SHARE = 10;

    private final Path program;
    private final String lanes;
    private final boolean errorHandling;

    /**
     * The figures of one run that are used.
     *
     * @param medianUs the 50th percentile of a latency, of the last 2048 operations; half of it for round trips
     * @param rate operations per second over the whole run, twice as many for round trips
     */
    record Figures(double medianUs, double rate) {}

    Perftest(Path program, String lanes) {
        this(program, lanes, false);
    }

    private Perftest(Path program, String lanes, boolean errorHandling) {
        this.program = program;
        this.lanes = lanes;
        this.errorHandling = errorHandling;
    }

    /**
     * Looks for the program in the path.
     *
     * @param lanes the UCX transports that both of its processes may use, as the environment variable {@code UCX_TLS} names them
     * @return empty if it is not installed
     */
    public static Optional<Perftest> find(String lanes) {
        return inPath(TITLE).map(found -> new Perftest(found, lanes));
    }

    /** The same program on the same lanes, with peer error handling. */
    public Perftest withErrorHandling() {
        return new Perftest(program, lanes, true);
    }

    /** This, or the same with peer error handling, by its title. */
    public Perftest titled(String title) {
        return title.equals(WITH_ERROR_HANDLING) ? withErrorHandling() : this;
    }

    /** A program in the path. */
    public static Optional<Path> inPath(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    @Override
    public String title() {
        return errorHandling ? WITH_ERROR_HANDLING : TITLE;
    }

    @Override
    public boolean isCompiled() {
        return true;
    }

    @Override
    public void rest() {}

    /** Its processes end with each turn. */
    @Override
    public void close() {}

    @Override
    public Turn turn(Work work) throws IOException {
        PerfTest test = work.test();
        int warmUp = Math.clamp(work.count() / WARM_UP_SHARE, 1, WARM_UP_MAX);
        try {
            Figures figures = run(
                    List.of("-t", test.perftest(), "-s", String.valueOf(work.size())),
                    List.of("-O", String.valueOf(work.window())),
                    List.of("-n", String.valueOf(work.count()), "-w", String.valueOf(warmUp)));
            return Turn.of(figures.rate() / test.trips(), test.isRate() ? 0 : figures.medianUs() * test.trips());
        } catch (IOException failure) {
            throw new IOException(
                    title() + " failed: test=" + test.perftest() + ", size=" + work.size() + " bytes; "
                            + failure.getMessage(),
                    failure);
        }
    }

    private Figures run(List<String> test, List<String> window, List<String> counts) throws IOException {
        for (int tried = 1; ; tried++) {
            int port = freePort();
            Process server = start(Stream.concat(Stream.of("-p", String.valueOf(port)), errorOption()));
            try {
                if (awaitListening(server, port)) {
                    return run(port, Stream.of(test, window, counts));
                }
                if (tried == SERVERS_MAX) {
                    kill(server);
                    throw new IOException(TITLE + " does not listen: port=" + port + "; it said: " + output(server));
                }
            } finally {
                kill(server);
            }
        }
    }

    private Figures run(int port, Stream<List<String>> arguments) throws IOException {
        Process client = start(Stream.of(
                        Stream.of("-p", String.valueOf(port), "127.0.0.1"),
                        arguments.flatMap(List::stream),
                        Stream.of("-f", "-v"),
                        errorOption())
                .flatMap(words -> words));
        try {
            return figures(client);
        } finally {
            kill(client);
        }
    }

    private Stream<String> errorOption() {
        return errorHandling ? Stream.of("-e") : Stream.empty();
    }

    /** Its output can still be read, which {@link Process#destroyForcibly} closes. */
    private static void kill(Process process) {
        process.toHandle().destroyForcibly();
    }

    private Process start(Stream<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments.toList());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("UCX_"));
        builder.environment().put("UCX_TLS", lanes);
        if (errorHandling) {
            // Without it UCX has no error handling over shared memory, and finds no lane.
            builder.environment().put("UCX_MM_ERROR_HANDLING", "y");
        }
        builder.environment().put("UCX_WARN_UNUSED_ENV_VARS", "n");
        return builder.start();
    }

    /** A port of loopback for what takes it as a number. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** The server takes one connection only, so that trying to connect would use it up; the kernel knows who listens. */
    private static boolean awaitListening(Process server, int port) throws IOException {
        long deadline = System.nanoTime() + LISTEN_LIMIT_NS;
        while (!listens(port)) {
            if (!server.isAlive() || System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(LISTEN_CHECK_NS);
        }
        return server.isAlive();
    }

    private static boolean listens(int port) throws IOException {
        String local = String.format(Locale.ROOT, ":%04X", port);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (Files.exists(Path.of(table))) {
                for (String line : Files.readAllLines(Path.of(table))) {
                    String[] fields = line.strip().split("\\s+", -1);
                    if (fields.length > 3 && fields[1].endsWith(local) && fields[3].equals("0A")) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static Figures figures(Process client) throws IOException {
        try {
            if (!client.waitFor(RUN_LIMIT_S, TimeUnit.SECONDS)) {
                throw new IOException(TITLE + " did not end within " + RUN_LIMIT_S + " s");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + TITLE + " ran", interrupted);
        }
        return parse(output(client).lines().toList());
    }

    /** Reads the lines of comma-separated output: names, then figures, whichever columns this release of UCX has. */
    static Figures parse(List<String> lines) throws IOException {
        for (int i = 0; i + 1 < lines.size(); i++) {
            if (lines.get(i).startsWith("iterations,")) {
                List<String> names = List.of(lines.get(i).split(",", -1));
                List<String> values = List.of(lines.get(i + 1).split(",", -1));
                if (values.size() == names.size()) {
                    return new Figures(figure(names, values, "_percentile_lat"), figure(names, values, "overall_mr"));
                }
            }
        }
        throw new IOException(TITLE + " printed no figures: " + String.join(" / ", lines));
    }

    private static double figure(List<String> names, List<String> values, String ending) throws IOException {
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).endsWith(ending)) {
                try {
                    return Double.parseDouble(values.get(i).strip());
                } catch (NumberFormatException noNumber) {
                    throw new IOException(
                            TITLE + " printed no number: " + names.get(i) + "=" + values.get(i)
                                    + "; were the operations of a round too few for its clock?",
                            noNumber);
                }
            }
        }
        throw new IOException(TITLE + " printed no column " + ending + ", but " + names);
    }

    private static String output(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
