package io.fairlead.cli.perf;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.TransportInfo;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures Fairlead between two processes. */
@Command(
        name = "perf",
        description = {
            "Measure latency, rate and bandwidth of Fairlead between two processes, both spinning.",
            "The tests are those of ucx_perftest: tag-lat, tag-bw, put-lat, put-bw, get-lat, get-bw, fadd."
        },
        subcommands = PerfServerCommand.class)
public final class PerfCommand implements Callable<Integer> {
    /** Tell the processes that this one starts from each other. */
    private static final int SERVER = 1;

    private static final int SECOND_SERVER = 2;

    @Parameters(paramLabel = "TEST", arity = "0..*", description = "Which tests (default: all).")
    private List<String> tests = List.of();

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

    @Option(
            names = "--sizes",
            paramLabel = "BYTES,...",
            description =
                    "Bytes of an operation, such as 8,4KiB,1MiB (default: 8 and 4 KiB for latencies, 8 and 1 MiB for"
                            + " rates; fadd has 8).")
    private Optional<String> sizes = Optional.empty();

    @Option(
            names = "--window",
            paramLabel = "N",
            description = "Operations on their way at once, in tests of rates and fadd (default: 32, fadd 1).")
    private Optional<String> window = Optional.empty();

    @Option(names = "--rounds", paramLabel = "N", description = "Counted rounds of each test and size (default: 5).")
    private Optional<String> rounds = Optional.empty();

    @Option(
            names = "--iterations",
            paramLabel = "N",
            description = "Operations of a round (default: as many as --seconds holds).")
    private Optional<String> iterations = Optional.empty();

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "Operations before the first counted round (default: until a round takes its time).")
    private Optional<String> warmUp = Optional.empty();

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long all rounds of a test and size take together (default: 1).")
    private Optional<Double> seconds = Optional.empty();

    @Option(names = "--quick", description = "Fewer and shorter rounds: to see that it works, not to quote.")
    private boolean quick;

    @Option(
            names = "--compare",
            description =
                    "Measure Fairlead over shared memory, and in turns with it UCX's C program ucx_perftest and Fairlead over"
                            + " UCX's own shared memory, and print the ratios; as fairlead bench perf also raw JUCX.")
    private boolean compare;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures and goals to this file too.")
    private Optional<Path> json = Optional.empty();

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    @Override
    public Integer call() {
        PerfPlan plan =
                PerfPlan.of(new PerfPlan.Request(tests, sizes, window, rounds, iterations, warmUp, seconds, quick));
        if (compare && (connect.isPresent() || transport.isPresent())) {
            throw CommandFailure.usage(
                    "--compare runs everything on this host, over shm and over ucx; leave out --connect and --transport");
        }
        json.ifPresent(Report::checkWritable);
        FairleadConfig config = PerfServer.patient(config(options, named()));
        try (Context context = open(config);
                MetricsPort _ = MetricsPort.open(context)) {
            warnIfBusy();
            List<PerfResult> results = connect.isPresent()
                    ? measure(plan, context, config, connect.get(), Optional.empty())
                    : measureHere(plan, context, config);
            Report report = PerfReport.report(results);
            (compare ? PerfReport.comparison(results) : PerfReport.table(results)).forEach(System.out::println);
            PerfReport.goals(report.goals()).forEach(System.out::println);
            json.ifPresent(report::write);
        }
        return 0;
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

    /** Says in one line which transports cannot be used; fails if one was named. */
    private Context open(FairleadConfig config) {
        // A context refuses a policy that nothing here satisfies; what is missing is told here, with its remedy.
        Context context = Context.open(config.with(ConfigKeys.POLICY, PathPolicy.AUTO));
        Optional<String> named = named();
        try {
            for (TransportInfo info : context.transports()) {
                if (!info.available() && named.isEmpty()) {
                    System.err.println("fairlead: " + info.name() + " cannot be used: " + info.cause());
                } else if (!info.available() && named.get().equals(info.name())) {
                    throw CommandFailure.failed(info.name() + " cannot be used: " + info.cause());
                }
            }
            if (named.isPresent()
                    && context.transports().stream()
                            .noneMatch(info -> info.name().equals(named.get()))) {
                throw CommandFailure.usage("no such transport: transport=" + named.get() + ", one of "
                        + context.transports().stream().map(TransportInfo::name).toList());
            }
        } finally {
            context.close();
        }
        return Context.open(config);
    }

    private List<PerfResult> measureHere(PerfPlan plan, Context context, FairleadConfig config) {
        if (!compare) {
            return measureHere(plan, context, config, Optional.empty());
        }
        try (PerfComparison comparison =
                PerfComparison.open(config, context.transports(), options.toArguments(SECOND_SERVER))) {
            return measureHere(plan, context, config, Optional.of(comparison));
        }
    }

    private List<PerfResult> measureHere(
            PerfPlan plan, Context context, FairleadConfig config, Optional<PerfComparison> comparison) {
        // The server's command line means what this one does.
        List<String> arguments = new ArrayList<>(options.toArguments(SERVER));
        named().ifPresent(name -> arguments.add("--transport=" + name));
        try (PerfChild child = PerfChild.start(arguments)) {
            return measure(plan, context, config, child.address(), comparison);
        }
    }

    private static List<PerfResult> measure(
            PerfPlan plan,
            Context context,
            FairleadConfig config,
            Address server,
            Optional<PerfComparison> comparison) {
        try (PerfConnection connection = new PerfConnection(context, config, server);
                PerfProgress progress = new PerfProgress(PerfRun.steps(plan))) {
            System.out.println("path: " + connection.path());
            System.out.println("half round trips for tag-lat and put-lat; medians over " + plan.rounds()
                    + " rounds, contestants in turns; operations under 1 us are timed in batches (column batch)");
            return new PerfRun(plan, connection, comparison, progress).run();
        }
    }
}
