package io.fairlead.cli.train;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.TransportInfo;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.Range;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.launch.Launch;
import io.fairlead.samples.training.Score;
import io.fairlead.samples.training.SingleProcess;
import io.fairlead.samples.training.StrikeTable;
import io.fairlead.samples.training.TrainedWeights;
import io.fairlead.samples.training.TrainingResult;
import io.fairlead.samples.training.TrainingSettings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Several processes train one network, and end with the bits that a single process ends with. */
@Command(
        name = "train",
        description =
                "Train a small neural network in several processes, which add up their gradients by put-with-signal, and"
                        + " prove that each ends with exactly the weights of a single process. Started by srun, mpirun, torchrun or an"
                        + " indexed job of Kubernetes it is one process of that run, and the launcher tells their number.")
public final class TrainCommand implements Callable<Integer> {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many processes (default: ${DEFAULT-VALUE}).")
    private int workers;

    @Option(
            names = "--steps",
            paramLabel = "N",
            defaultValue = "2000",
            description = "How often the weights change (default: ${DEFAULT-VALUE}).")
    private int steps;

    @Option(
            names = "--each-path",
            description = "Run once over each transport that there is between the processes, one after the other.")
    private boolean eachPath;

    @Option(names = "--json", description = "Print the result as one JSON document.")
    private boolean json;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() throws InterruptedException {
        Range.between("--workers", workers, 1, TrainingSettings.WORKERS_MAX);
        Range.between("--steps", steps, 1, TrainingSettings.STEPS_MAX);
        Optional<Launch> launch = launch();
        if (launch.isPresent() && eachPath) {
            throw CommandFailure.usage("--each-path is for workers that this command starts itself: launcher="
                    + launch.get().launcher() + "; name one path with --policy");
        }
        if (eachPath && spec.commandLine().getParseResult().hasMatchedOption("--policy")) {
            throw CommandFailure.usage("options exclude each other: --each-path and --policy; leave one out");
        }
        FairleadConfig settings = config.load();
        try (StopSignal stop = StopSignal.install()) {
            if (launch.isPresent() && !launch.get().isFirst()) {
                LaunchedWorker.run(launch.get(), settings, stop);
                return 0;
            }
            TrainReport report = train(settings, launch, stop);
            if (json) {
                System.out.println(JSON.writeValueAsString(report));
            } else {
                TrainText.print(report);
            }
            return report.ok() ? 0 : CommandFailure.FAILED;
        }
    }

    /** The launcher that started this process as one of several; none where the number of workers is given. */
    private Optional<Launch> launch() {
        if (spec.commandLine().getParseResult().hasMatchedOption("--workers")) {
            return Optional.empty();
        }
        try {
            Optional<Launch> launch = Launch.fromEnvironment();
            launch.ifPresent(started -> {
                Range.between("size of the launch", started.size(), 1, TrainingSettings.WORKERS_MAX);
                workers = started.size();
            });
            return launch;
        } catch (IllegalArgumentException unusable) {
            throw CommandFailure.usage(
                    unusable.getMessage() + "; or start the workers on this host alone, with --workers");
        }
    }

    private TrainReport train(FairleadConfig settings, Optional<Launch> launch, StopSignal stop)
            throws InterruptedException {
        StrikeTable table = StrikeTable.load();
        Map<PathPolicy, String> missing = new LinkedHashMap<>();
        Map<PathPolicy, TrainingResult> results = new LinkedHashMap<>();
        for (PathPolicy policy : policies(settings, missing)) {
            System.err.println("training: workers=" + workers + ", steps=" + steps + ", policy=" + policy);
            TrainingSettings run = new TrainingSettings(workers, steps, policy);
            try (TrainRun training = launch.isPresent()
                    ? TrainRun.launched(stop, settings, run, table, listenAddress(launch.get()))
                    : TrainRun.ofOneHost(stop, settings, run, table)) {
                results.put(policy, training.run(config));
            }
        }
        System.err.println("training once more: in this process alone");
        TrainedWeights expected =
                new SingleProcess(new TrainingSettings(workers, steps, PathPolicy.AUTO), table).run(stop::requested);
        if (stop.requested()) {
            throw CommandFailure.failed("train was stopped before its end; run it again for a result");
        }
        List<TrainReport.Run> runs = new ArrayList<>();
        results.forEach((policy, result) -> runs.add(TrainReport.Run.of(policy.toString(), result, expected.hash())));
        boolean ok = !runs.isEmpty() && runs.stream().allMatch(TrainReport.Run::identical);
        missing.forEach((policy, cause) -> runs.add(TrainReport.Run.unavailable(policy.toString(), cause)));
        return new TrainReport(
                workers,
                steps,
                expected.weights().length,
                runs,
                new TrainReport.Reference(
                        steps * (double) TimeUnit.SECONDS.toNanos(1) / expected.elapsedNs(), expected.hash()),
                Score.of(table, expected.weights()),
                ok);
    }

    /** Loopback where all processes are of this host, else every address of it: which one is known by the name that others use is theirs to know. */
    private static InetSocketAddress listenAddress(Launch launch) {
        InetSocketAddress named = new Address(launch.host(), launch.port()).resolve();
        return named.getAddress().isLoopbackAddress() ? named : new InetSocketAddress(launch.port());
    }

    /** What to run with; unavailable transports are reported with the cause. */
    private List<PathPolicy> policies(FairleadConfig settings, Map<PathPolicy, String> missing) {
        if (!eachPath) {
            return List.of(settings.value(ConfigKeys.POLICY));
        }
        List<PathPolicy> policies = new ArrayList<>();
        try (Context context = Context.open(ConfigOptions.withEveryTransport(settings))) {
            for (TransportInfo transport : context.transports()) {
                PathPolicy policy = PathPolicy.named(transport.name());
                if (transport.available()) {
                    policies.add(policy);
                } else {
                    missing.put(policy, transport.cause());
                }
            }
        }
        return policies;
    }
}
