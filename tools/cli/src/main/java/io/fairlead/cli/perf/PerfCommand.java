package io.fairlead.cli.perf;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.TransportInfo;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Report;
import io.fairlead.config.ConfigKeys;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures Fairlead between two processes. */
@Command(
        name = "perf",
        description = {
            "Measure latency, rate and bandwidth of Fairlead between two processes, both spinning.",
            "The tests are those of ucx_perftest: tag-lat, tag-bw, put-lat, put-bw, get-lat, get-bw, fadd."
        },
        subcommands = PerfServerCommand.class)
public final class PerfCommand implements Callable<Integer> {
    @Option(
            names = "--connect",
            paramLabel = "HOST:PORT",
            description = "Where fairlead perf server listens (default: start one here, in a second process).")
    private Optional<Address> connect = Optional.empty();

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "Only this transport, such as shm, ucx or tcp (default: as the policy says, auto).")
    private Optional<String> transport = Optional.empty();

    @Mixin
    private PerfOptions measuring = new PerfOptions();

    @Option(
            names = "--compare",
            description =
                    "Measure Fairlead over shared memory, and in turns with it UCX's C program ucx_perftest, Fairlead over UCX's"
                            + " own shared memory, and the C program with error handling, as Fairlead runs there (ucx_perftest-e); each"
                            + " between two processes of its own. Print the ratios. In a clone, ./fairlead bench perf measures raw JUCX too.")
    private boolean compare;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures and goals to this file too.")
    private Optional<Path> json = Optional.empty();

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    private final Function<String, List<Pair.Ends>> others;

    /** Compares with the C program alone. */
    public PerfCommand() {
        this(_ -> List.of());
    }

    /**
     * Compares with more.
     *
     * @param others contestants over UCX, by the UCX transports that they may use, as the environment variable {@code UCX_TLS} names them
     */
    public PerfCommand(Function<String, List<Pair.Ends>> others) {
        this.others = others;
    }

    @Override
    public Integer call() {
        PerfPlan plan = measuring.plan();
        if (compare && (connect.isPresent() || transport.isPresent())) {
            throw CommandFailure.usage(
                    "--compare runs everything on this host, over shm and over ucx; leave out --connect and --transport");
        }
        json.ifPresent(Report::checkWritable);
        FairleadConfig config = PerfServer.patient(config(options, named()));
        List<TransportInfo> transports = transports(config, named());
        warnIfBusy();
        Report report;
        if (compare) {
            report = compare(plan, options, config, transports, others);
        } else {
            List<PerfResult> results = measure(plan, config);
            report = PerfReport.report(results);
            PerfReport.table(results).forEach(System.out::println);
        }
        report.goals().forEach(goal -> System.out.println(goal.line()));
        json.ifPresent(report::write);
        return 0;
    }

    /**
     * Measures puts, gets and atomics as {@code perf --compare} does, prints the table, and adds figures and goals to a report.
     *
     * @param quick fewer and shorter rounds
     * @param others as in the constructor
     */
    public static void compareRemoteMemory(boolean quick, Report report, Function<String, List<Pair.Ends>> others) {
        ConfigOptions options = new ConfigOptions();
        List<String> arguments = new ArrayList<>(PerfTest.remoteMemory());
        if (quick) {
            arguments.add("--quick");
        }
        PerfPlan plan = PerfOptions.plan(arguments);
        Optional<String> shared = Optional.of(PerfComparison.TRANSPORT);
        FairleadConfig config = PerfServer.patient(config(options, shared));
        Report measured = compare(plan, options, config, transports(config, shared), others);
        report.rows().addAll(measured.rows());
        report.goals().addAll(measured.goals());
    }

    /** The transport that carries what this command calls fairlead; empty if that is for the policy to say. */
    private Optional<String> named() {
        return compare ? Optional.of(PerfComparison.TRANSPORT) : transport;
    }

    /** Two processes that spin want two processors for themselves. */
    private static void warnIfBusy() {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        double load = system.getSystemLoadAverage();
        if (load > system.getAvailableProcessors()) {
            System.err.printf(
                    Locale.ROOT,
                    "perf: the machine is busy, load %.1f on %d processors: these figures mean nothing; wait until it is quiet%n",
                    load,
                    system.getAvailableProcessors());
        }
    }

    /** What the options of the configuration say, with the transport that is named beside them. */
    static FairleadConfig config(ConfigOptions options, Optional<String> transport) {
        FairleadConfig config = options.load();
        if (transport.isEmpty()) {
            return config;
        }
        if (config.origin(ConfigKeys.POLICY).equals("code")) {
            throw CommandFailure.usage("--policy=" + config.value(ConfigKeys.POLICY) + " and transport "
                    + transport.get() + " both say which path to take; leave out --policy");
        }
        try {
            return config.with(ConfigKeys.POLICY, PathPolicy.named(transport.get()));
        } catch (IllegalArgumentException refused) {
            throw CommandFailure.usage(refused.getMessage() + " (--transport)");
        }
    }

    /** What can be used here. Says in one line for each what cannot; fails if it was named. */
    private static List<TransportInfo> transports(FairleadConfig config, Optional<String> named) {
        // A context refuses a policy that nothing here satisfies; what is missing is told here, with its remedy.
        List<TransportInfo> transports;
        FairleadConfig every = ConfigOptions.withEveryTransport(config);
        try (Context context = Context.open(every.with(ConfigKeys.POLICY, PathPolicy.AUTO))) {
            transports = context.transports();
        }
        for (TransportInfo info : transports) {
            if (!info.available() && named.isEmpty()) {
                System.err.println("fairlead: " + info.name() + " cannot be used: " + info.cause());
            } else if (!info.available() && named.get().equals(info.name())) {
                throw CommandFailure.failed(info.name() + " cannot be used: " + info.cause());
            }
        }
        if (named.isPresent()
                && transports.stream().noneMatch(info -> info.name().equals(named.get()))) {
            throw CommandFailure.usage("no such transport: transport=" + named.get() + ", one of "
                    + transports.stream().map(TransportInfo::name).toList());
        }
        return transports;
    }

    /** This process only directs: every contestant has two of its own. */
    private static Report compare(
            PerfPlan plan,
            ConfigOptions options,
            FairleadConfig config,
            List<TransportInfo> transports,
            Function<String, List<Pair.Ends>> others) {
        List<PerfResult> results;
        try (PerfComparison comparison = PerfComparison.open(options, config, transports, others)) {
            results = measure(plan, comparison.path(), comparison.contestants());
        }
        PerfReport.comparison(results).forEach(System.out::println);
        return PerfReport.report(results);
    }

    private List<PerfResult> measure(PerfPlan plan, FairleadConfig config) {
        if (connect.isEmpty()) {
            try (PerfComparison alone = PerfComparison.alone(options, transport)) {
                return measure(plan, alone.path(), alone.contestants());
            }
        }
        try (Context context = Context.open(config);
                MetricsPort _ = MetricsPort.open(context);
                PerfConnection connection = new PerfConnection(context, config, connect.get())) {
            return measure(plan, connection.path().toString(), List.of(connection));
        }
    }

    private static List<PerfResult> measure(PerfPlan plan, String path, List<Contestant> contestants) {
        System.out.println("path: " + path);
        System.out.println("half round trips for tag-lat and put-lat; medians over "
                + plan.rounds().rounds()
                + " rounds, contestants in turns; operations under 1 us are timed in batches (column batch)");
        try (PerfProgress progress = new PerfProgress(plan.steps(contestants.size()))) {
            return PerfResult.measure(plan, contestants, progress);
        }
    }
}
