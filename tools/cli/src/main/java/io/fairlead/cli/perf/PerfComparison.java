package io.fairlead.cli.perf;

import io.fairlead.FairleadConfig;
import io.fairlead.TransportInfo;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.config.ConfigKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The contestants of {@code fairlead perf --compare}: UCX's C program, Fairlead over shared memory, Fairlead over UCX's own shared memory, and the
 * rivals that other modules bring. As the C program has, each has two processes to itself, so that none carries a part of another. Belongs to one thread.
 */
final class PerfComparison implements AutoCloseable {
    /** What carries Fairlead's own figures. */
    static final String TRANSPORT = "shm";

    private static final String UCX = "ucx";
    private static final String LANES_KEY = "ucx.tls";

    private final ConfigOptions options;
    private final Perftest perftest;
    private final List<LeaderProcess> leaders = new ArrayList<>();
    /** What is to be closed, the last first: a leader before its server. */
    private final Deque<Runnable> processes = new ArrayDeque<>();

    private int started;

    private PerfComparison(ConfigOptions options, Perftest perftest) {
        this.options = options;
        this.perftest = perftest;
    }

    /**
     * Finds the program and starts the processes of the others; where Fairlead cannot use UCX, leaves that one out and says so on standard error.
     *
     * @param options of this command, which hold for all processes
     * @param config what they come to
     * @param transports what can be used here
     */
    static PerfComparison open(ConfigOptions options, FairleadConfig config, List<TransportInfo> transports) {
        String lanes = lanes(config);
        Perftest perftest = Perftest.find(lanes)
                .orElseThrow(() -> CommandFailure.failed(
                        "--compare needs ucx_perftest, which is not in PATH; install the package " + Perftest.PACKAGE));
        PerfComparison comparison = new PerfComparison(options, perftest);
        try {
            comparison.start(transports, lanes);
        } catch (RuntimeException failed) {
            comparison.close();
            throw failed;
        }
        return comparison;
    }

    private static String lanes(FairleadConfig config) {
        return config.keys().stream()
                .filter(key -> key.name().equals(LANES_KEY))
                .map(key -> format(config, key))
                .findFirst()
                .orElseThrow();
    }

    private static <T> String format(FairleadConfig config, ConfigKey<T> key) {
        return key.format(config.value(key));
    }

    private void start(List<TransportInfo> transports, String lanes) {
        start(PerfServer.FAIRLEAD, TRANSPORT, List.of());
        Optional<TransportInfo> ucx =
                transports.stream().filter(info -> info.name().equals(UCX)).findFirst();
        if (ucx.filter(TransportInfo::available).isPresent()) {
            start(PerfResult.OVER_UCX, UCX, List.of());
        } else {
            System.err.println("fairlead: " + PerfResult.OVER_UCX + " is left out: ucx cannot be used: "
                    + ucx.map(TransportInfo::cause).orElse("there is no such transport"));
        }
        try (Rivals rivals = new Rivals()) {
            // The processes of a rival agree on what to do over Fairlead, and that costs least over shared memory.
            rivals.names().forEach(name -> start(name, TRANSPORT, PerfLeaderCommand.rival(name, lanes)));
        }
    }

    private void start(String subject, String transport, List<String> whom) {
        ServerProcess server = ServerProcess.start("the serving process of " + subject, arguments(transport));
        processes.push(server::close);
        List<String> arguments = arguments(transport);
        arguments.addAll(whom);
        LeaderProcess leader = LeaderProcess.start(subject, server, arguments);
        processes.push(leader::close);
        leaders.add(leader);
    }

    /** Each process has a number of its own, so that metrics are served on ports of their own. */
    private List<String> arguments(String transport) {
        List<String> arguments = new ArrayList<>(options.toArguments(started++));
        arguments.add("--transport=" + transport);
        return arguments;
    }

    /** UCX's C program. */
    Perftest perftest() {
        return perftest;
    }

    /** All contestants but the C program, Fairlead first. */
    List<Leader> leaders() {
        return List.copyOf(leaders);
    }

    /** The path of Fairlead's own figures. */
    String path() {
        return leaders.getFirst().path();
    }

    @Override
    public void close() {
        while (!processes.isEmpty()) {
            processes.pop().run();
        }
    }
}
