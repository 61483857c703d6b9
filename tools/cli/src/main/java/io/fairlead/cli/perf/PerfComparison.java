package io.fairlead.cli.perf;

import io.fairlead.FairleadConfig;
import io.fairlead.TransportInfo;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Perftest;
import io.fairlead.config.ConfigKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The contestants of {@code fairlead perf}: Fairlead, and for {@code --compare} UCX's C program, Fairlead over UCX's own shared memory, the C program
 * with error handling as Fairlead has it there, and those that other modules bring. Each has two processes to itself. Belongs to one thread.
 */
final class PerfComparison implements AutoCloseable {
    /** What carries Fairlead's own figures in a comparison. */
    static final String TRANSPORT = "shm";

    private static final String UCX = "ucx";
    private static final String LANES_KEY = "ucx.tls";
    private static final long LIMIT_S = Long.MAX_VALUE / 2_000_000_000;

    private final ConfigOptions options;
    private final List<Contestant> contestants = new ArrayList<>();
    private String path = "";
    private int started;

    private PerfComparison(ConfigOptions options) {
        this.options = options;
    }

    /** Fairlead alone, over a transport or over what the policy says. */
    static PerfComparison alone(ConfigOptions options, Optional<String> transport) {
        PerfComparison alone = new PerfComparison(options);
        alone.start(PerfResult.FAIRLEAD, transport);
        return alone;
    }

    /**
     * Finds the program and starts the processes of the others; where Fairlead cannot use UCX, leaves that one out and says so on standard error.
     *
     * @param options of this command, which hold for all processes
     * @param config the configuration that they make
     * @param transports what can be used here
     * @param others further contestants over UCX, by the UCX transports that they may use
     */
    static PerfComparison open(
            ConfigOptions options,
            FairleadConfig config,
            List<TransportInfo> transports,
            Function<String, List<Pair.Ends>> others) {
        String lanes = lanes(config);
        Perftest perftest = Perftest.find(lanes)
                .orElseThrow(() -> CommandFailure.failed("--compare needs ucx_perftest, which is " + Perftest.MISSING));
        PerfComparison comparison = new PerfComparison(options);
        try {
            comparison.start(PerfResult.FAIRLEAD, Optional.of(TRANSPORT));
            comparison.contestants.add(perftest);
            Optional<TransportInfo> ucx =
                    transports.stream().filter(info -> info.name().equals(UCX)).findFirst();
            if (ucx.filter(TransportInfo::available).isPresent()) {
                comparison.start(PerfResult.OVER_UCX, Optional.of(UCX));
                comparison.contestants.add(perftest.withErrorHandling());
                others.apply(lanes).forEach(comparison::start);
            } else {
                System.err.println("fairlead: " + PerfResult.OVER_UCX + " is left out: ucx cannot be used: "
                        + ucx.map(TransportInfo::cause).orElse("there is no such transport"));
            }
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

    private void start(String title, Optional<String> transport) {
        List<String> leader = arguments(transport);
        List<String> follower = arguments(transport);
        Pair pair = start(new Pair.Ends(
                title, ComparedSide.class, List.of(), leader, follower, false, EnumSet.allOf(PerfTest.class), LIMIT_S));
        path = path.isEmpty() ? pair.connection() : path;
    }

    private Pair start(Pair.Ends ends) {
        try {
            Pair pair = Pair.start(ends);
            contestants.add(pair);
            return pair;
        } catch (IOException failure) {
            throw CommandFailure.failed(String.valueOf(failure.getMessage()));
        }
    }

    /** Each process has a number of its own, so that metrics are served on ports of their own. */
    private List<String> arguments(Optional<String> transport) {
        List<String> arguments = new ArrayList<>(options.toArguments(started++));
        transport.ifPresent(name -> arguments.add("--transport=" + name));
        return arguments;
    }

    /** Fairlead first. */
    List<Contestant> contestants() {
        return contestants;
    }

    /** The path of Fairlead's own figures. */
    String path() {
        return path;
    }

    @Override
    public void close() {
        contestants.reversed().forEach(Contestant::close);
    }
}
