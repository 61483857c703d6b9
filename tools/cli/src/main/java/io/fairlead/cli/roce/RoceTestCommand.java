package io.fairlead.cli.roce;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs Fairlead over RDMA verbs where there is no RDMA device: in a guest whose kernel has RoCE in software. */
@Command(
        name = "roce-test",
        description =
                "Run Fairlead over RoCE v2 in a virtual machine: two RDMA devices in software, joined by a wire, with"
                        + " this JDK and these classes. Needs Debian's packages, and no RDMA device. Fails unless the RDMA"
                        + " packets of both devices crossed the wire.")
public final class RoceTestCommand implements Callable<Integer> {
    @Option(
            names = "--suite",
            paramLabel = "SUITE",
            defaultValue = "demo",
            converter = SuiteName.class,
            completionCandidates = SuiteName.class,
            description = "What to run: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private String suite = "demo";

    @Option(
            names = "--only",
            paramLabel = "NAME",
            description = "Of the contract suites or the faults run these alone, such as TaggedSendContract or link.")
    private List<String> only = List.of();

    @Option(
            names = "--guests",
            paramLabel = "COUNT",
            description =
                    "Share the contract suites out among so many guests (default: one for each processor, at most 2).")
    private Optional<Integer> guests = Optional.empty();

    @Option(names = "--keep", description = "Keep the guest's scripts and logs after success too.")
    private boolean keep;

    @Option(
            names = "--reports",
            paramLabel = "FOLDER",
            defaultValue = "target/roce",
            description = "Where the reports go (default: ${DEFAULT-VALUE}).")
    private Path reports = Path.of("target/roce");

    @Option(
            names = "--limit",
            paramLabel = "MINUTES",
            description = "End the guest after this time (default: the suite's own, for a machine of two processors).")
    private Optional<Integer> limit = Optional.empty();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Testkit.check();
        return RoceTestRun.run(suite, only, guests, keep, reports, limit);
    }
}
