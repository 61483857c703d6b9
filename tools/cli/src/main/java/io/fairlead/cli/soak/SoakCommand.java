package io.fairlead.cli.soak;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.Range;
import io.fairlead.cli.process.StopSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/** Random traffic and faults between two processes for as long as one likes, judged round by round. */
@Command(
        name = "soak",
        description =
                "Exchange messages, requests, topics and remote memory with another process in random rounds, while"
                        + " connections are cut and the other process is stopped and killed; prove that nothing is lost, doubled,"
                        + " damaged or leaked, and that nothing hangs.")
public final class SoakCommand implements Callable<Integer> {
    private static final double MINUTES_MAX = 7 * 24 * 60;
    private static final long PROGRESS_NS = TimeUnit.SECONDS.toNanos(5);

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "1",
            description = "How long for each transport (default: ${DEFAULT-VALUE}).")
    private double minutes;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description =
                    "What all that is random follows from; the same seed makes the same rounds (default: a new one).")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = "--transport",
            paramLabel = "T",
            split = ",",
            defaultValue = "shm,tcp",
            description =
                    "tcp, shm or ucx; several separated by commas run one after the other (default: ${DEFAULT-VALUE}).")
    private List<String> transports = List.of();

    @Option(names = "--round", paramLabel = "N", description = "Run only this round of the seed, as a report names it.")
    private Optional<Integer> round = Optional.empty();

    @Option(names = "--json", description = "Print the results as one JSON document.")
    private boolean json;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    /** Creates the command. */
    public SoakCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        Range.between("--minutes", minutes, 0.05, MINUTES_MAX);
        round.ifPresent(number -> Range.between("--round", number, 0, Integer.MAX_VALUE));
        long chosen = seed.orElseGet(() -> new SplittableRandom().nextLong() >>> 1);
        // All of them first: a mistake in the last one must not cost the reports of the others.
        transports.forEach(transport -> config.withPolicy(transport).load());
        List<SoakReport> reports = new ArrayList<>();
        try (StopSignal stop = StopSignal.install()) {
            for (String transport : transports) {
                if (!stop.requested()) {
                    reports.add(run(transport, chosen, stop));
                }
            }
        }
        if (json) {
            System.out.println(JsonMapper.shared().writeValueAsString(reports));
        } else {
            reports.forEach(report -> System.out.print(report.text()));
        }
        return reports.stream().allMatch(SoakReport::ok) ? 0 : CommandFailure.FAILED;
    }

    private SoakReport run(String transport, long chosen, StopSignal stop) throws InterruptedException {
        ConfigOptions own = config.withPolicy(transport);
        AtomicLong last = new AtomicLong(System.nanoTime() - PROGRESS_NS);
        try (SoakRun run = new SoakRun(chosen, transport, own.load(), own.toArguments(), stop, line -> {
            if (!json && System.nanoTime() - last.get() >= PROGRESS_NS) {
                last.set(System.nanoTime());
                System.out.println(transport + ": " + line);
            }
        })) {
            return run.run(round.orElse(0), round.isPresent() ? 1 : Integer.MAX_VALUE, (long)
                    (minutes * TimeUnit.MINUTES.toNanos(1)));
        }
    }
}
