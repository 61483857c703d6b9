package io.fairlead.cli.check;

import io.fairlead.Capability;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.PathClass;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.command.Seconds;
import io.fairlead.cli.demo.DemoExchange;
import io.fairlead.cli.demo.DemoReport;
import io.fairlead.cli.doctor.PathReport;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.perf.PerfConnection;
import io.fairlead.cli.perf.PerfOptions;
import io.fairlead.cli.perf.PerfPlan;
import io.fairlead.cli.perf.PerfProgress;
import io.fairlead.cli.perf.PerfReport;
import io.fairlead.cli.perf.PerfResult;
import io.fairlead.cli.perf.PerfServer;
import io.fairlead.cli.process.StopSignal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;

/** Checks what two hosts make of RDMA, from the devices to the figures, for a report that can be shown around. */
@Command(
        name = "rdma-check",
        description = {
            "Check Fairlead between two hosts, over RDMA where they have it, and print a report to attach to an issue: what"
                    + " either host has, the path and why, a small contract, the demo's exchange, and a short perf.",
            "First: fairlead rdma-check --listen on the one host; then: fairlead rdma-check HOST on the other.",
            "Exit status 1 if anything failed, or if the path was not RDMA and --require-rdma was given."
        })
public final class RdmaCheckCommand implements Callable<Integer> {
    static final String LISTENING = "rdma-check listens at ";
    static final String RDMA = "RDMA:";
    static final String NOT_RDMA = "NOT RDMA:";

    private static final int PORT = Address.parse(Address.DEFAULT).port();
    private static final double ROWS_PER_SECOND = 5000;
    private static final JsonMapper JSON = JsonMapper.shared();

    @Parameters(
            paramLabel = "HOST[:PORT]",
            arity = "0..1",
            description = "Where the other side listens (default port: 32475).")
    private Optional<String> host = Optional.empty();

    @Option(
            names = {"-l", "--listen"},
            paramLabel = "HOST:PORT",
            arity = "0..1",
            fallbackValue = "0.0.0.0:32475",
            description = "Be the other side, for one check after the other, until stopped: listen here (default:"
                    + " ${FALLBACK-VALUE}, all addresses of this host), and for the demo at the next port. Serves whoever"
                    + " reaches them.")
    private Optional<Address> listen = Optional.empty();

    @Option(names = "--require-rdma", description = "Fail if the path is not RDMA; the report is made all the same.")
    private boolean requireRdma;

    @Option(
            names = "--seconds",
            converter = Seconds.class,
            paramLabel = "S",
            defaultValue = "2",
            description = "How long the demo publishes (default: ${DEFAULT-VALUE}).")
    private double seconds = 2;

    @Option(
            names = "--iterations",
            paramLabel = "N",
            description = "Operations of a round of perf, and of its warm-up (default: as many as its --quick takes).")
    private Optional<String> iterations = Optional.empty();

    @Option(names = "--json", paramLabel = "FILE", description = "Write the report to this file too.")
    private Optional<Path> json = Optional.empty();

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    private final List<CheckReport.Check> checks = new ArrayList<>();

    @Override
    public Integer call() throws InterruptedException {
        if (listen.isPresent() == host.isPresent()) {
            throw CommandFailure.usage(
                    "rdma-check needs one of HOST and --listen: start it with --listen on one host, and with"
                            + " that host's name on the other");
        }
        List<String> measuring = new ArrayList<>(List.of("--quick"));
        iterations.ifPresent(count -> measuring.addAll(List.of("--iterations=" + count, "--warmup=" + count)));
        PerfPlan plan = PerfOptions.plan(measuring);
        FairleadConfig config = PerfServer.patient(options.load());
        json.ifPresent(Report::checkWritable);
        try (StopSignal stop = StopSignal.install()) {
            if (listen.isPresent()) {
                serve(config, listen.get(), stop);
                return 0;
            }
            return check(config, address(host.orElseThrow()), plan, stop);
        }
    }

    /** A host alone has the command's own port. */
    private static Address address(String text) {
        boolean hasPort = text.matches("\\d+") || text.matches("(\\[.*]|[^:]*):\\d+");
        return Address.parse(hasPort ? text : text + ":" + PORT);
    }

    private void serve(FairleadConfig config, Address at, StopSignal stop) {
        try (CheckPeer peer = new CheckPeer(config, options.toArguments(), at, stop)) {
            new PerfServer(config, stop::requested, peer).run(at, Long.MAX_VALUE, bound -> {
                System.out.println(LISTENING + bound);
                System.out.println("on the other host: fairlead rdma-check THIS-HOST:" + bound.port());
            });
        }
    }

    private int check(FairleadConfig config, Address peer, PerfPlan plan, StopSignal stop) throws InterruptedException {
        String time = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        CheckReport.Host here = CheckReport.Host.here(config);
        System.out.println("rdma-check, " + time);
        print("here", here);
        CheckReport.Host there;
        io.fairlead.Path path;
        List<Report.Row> figures;
        try (Context context = Context.open(config);
                MetricsPort _ = MetricsPort.open(context)) {
            Set<Capability> can;
            try (PerfConnection connection = new PerfConnection(context, config, peer)) {
                there = host(connection);
                path = connection.path();
                can = capabilities(context, path);
            }
            print("peer", there);
            System.out.println("path: " + path);
            System.out.println(verdict(path));
            System.out.println("contract");
            contract(context, config, peer, can);
            System.out.println("demo");
            demo(context, config, peer, stop);
            System.out.println("perf");
            figures = perf(context, config, peer, plan);
        }
        boolean rdma = path.pathClass() == PathClass.RDMA;
        boolean ok = checks.stream().noneMatch(CheckReport.Check::isFailure) && (rdma || !requireRdma);
        CheckReport report =
                new CheckReport(time, here, there, PathReport.of(path), rdma, List.copyOf(checks), figures, ok);
        System.out.printf(
                Locale.ROOT,
                "%n%d passed, %d failed, %d skipped; %s%n",
                count("passed"),
                count("failed"),
                count("skipped"),
                verdict(path));
        json.ifPresent(report::write);
        return ok ? 0 : CommandFailure.FAILED;
    }

    private static void print(String whose, CheckReport.Host host) {
        System.out.println(whose + ": " + host.title());
        host.lines().forEach(System.out::println);
    }

    private String verdict(io.fairlead.Path path) {
        return switch (path.pathClass()) {
            case RDMA -> RDMA + " over " + path.device();
            case SHARED_MEMORY, IN_PROCESS ->
                NOT_RDMA + " both processes are on one host and share memory; this says nothing of RDMA" + required();
            case TCP -> NOT_RDMA + " TCP over " + path.device() + "; this says nothing of RDMA" + required();
        };
    }

    private String required() {
        return requireRdma ? ", which --require-rdma asks for" : "";
    }

    private long count(String result) {
        return checks.stream().filter(check -> check.result().equals(result)).count();
    }

    private static CheckReport.Host host(PerfConnection connection) {
        String answer = connection.ask("host");
        return JSON.readValue(answer, CheckReport.Host.class);
    }

    private static Set<Capability> capabilities(Context context, io.fairlead.Path path) {
        return context.transports().stream()
                .filter(info -> info.name().equals(path.transport()))
                .findFirst()
                .orElseThrow()
                .capabilities();
    }

    private void tell(CheckReport.Check check) {
        checks.add(check);
        System.out.println(check.line());
    }

    private void contract(Context context, FairleadConfig config, Address peer, Set<Capability> can) {
        try {
            CheckContract.run(() -> new PerfConnection(context, config, peer), can, this::tell);
        } catch (CommandFailure | FairleadException failed) {
            tell(CheckReport.Check.failed("contract", "connection", String.valueOf(failed.getMessage())));
        }
    }

    /** The publisher at the peer, the subscribers here, each a process of its own. */
    private void demo(Context context, FairleadConfig config, Address peer, StopSignal stop)
            throws InterruptedException {
        try {
            String port = ask(context, config, peer, "demo-start " + seconds + " " + ROWS_PER_SECOND);
            Address publisher = new Address(peer.host(), Integer.parseInt(port));
            DemoReport report = DemoExchange.subscribe(
                    stop,
                    publisher,
                    seconds,
                    options.toArguments(),
                    () -> Long.parseLong(ask(context, config, peer, "demo-sent")));
            report.subscribers().forEach(this::judge);
        } catch (CommandFailure | FairleadException failed) {
            tell(CheckReport.Check.failed("demo", "exchange", String.valueOf(failed.getMessage())));
        }
    }

    /** The last word of the answer to one request, on a connection of its own, so that none waits while processes do their work. */
    private static String ask(Context context, FairleadConfig config, Address peer, String request) {
        try (PerfConnection connection = new PerfConnection(context, config, peer)) {
            String answer = connection.ask(request);
            return answer.substring(answer.lastIndexOf(' ') + 1);
        }
    }

    private void judge(DemoReport.Row row) {
        String detail = String.format(
                Locale.ROOT,
                "%d of %d rows%s, %s over %s",
                row.received(),
                row.sent(),
                row.gaps() == 0 ? "" : ", the others as gaps that it chose",
                row.path().transport(),
                row.path().device());
        tell(row.error()
                .map(error -> CheckReport.Check.failed("demo", "subscriber " + row.name(), error))
                .orElseGet(() -> CheckReport.Check.passed("demo", "subscriber " + row.name(), detail)));
    }

    private List<Report.Row> perf(Context context, FairleadConfig config, Address peer, PerfPlan plan) {
        try (PerfConnection connection = new PerfConnection(context, config, peer);
                PerfProgress progress = new PerfProgress(plan.steps(1))) {
            List<PerfResult> results = PerfResult.measure(plan, List.of(connection), progress);
            tell(CheckReport.Check.passed("perf", "every test", results.size() + " rows, short rounds: not to quote"));
            PerfReport.table(results).forEach(line -> System.out.println("  " + line));
            return PerfReport.report(results).rows();
        } catch (CommandFailure | FairleadException failed) {
            tell(CheckReport.Check.failed("perf", "every test", String.valueOf(failed.getMessage())));
            return List.of();
        }
    }
}
