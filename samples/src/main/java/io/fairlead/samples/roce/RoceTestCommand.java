package io.fairlead.samples.roce;

import io.fairlead.samples.cli.CommandFailure;
import io.fairlead.samples.process.StopSignal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs Fairlead over RDMA verbs where there is no RDMA device: in a guest whose kernel has RoCE in software. */
@Command(
        name = "roce-test",
        description =
                "Run Fairlead over RoCE v2 in a virtual machine: two RDMA devices in software, joined by a wire, with"
                        + " this JDK and these classes. Needs Debian's packages, and no RDMA device. Fails unless the RDMA"
                        + " packets of both devices crossed the wire.")
public final class RoceTestCommand implements Callable<Integer> {
    /** Less than any suite needs, and more than finding each other takes. */
    private static final long PACKETS_MIN = 200;

    private static final int LIMIT_MAX = 240;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--suite",
            paramLabel = "SUITE",
            defaultValue = "demo",
            description = "What to run: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private RoceSuite suite = RoceSuite.DEMO;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            description =
                    "Of the contract suites or the faults run these alone, such as UcxTaggedSendContractTest or link.")
    private List<String> only = List.of();

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
        int minutes = limit.orElse(suite.limitMinutes());
        checkLimit(minutes);
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            throw CommandFailure.failed("roce-test runs on Linux on amd64 only: here " + System.getProperty("os.name")
                    + " on " + System.getProperty("os.arch"));
        }
        GuestImage image = GuestImage.prepare(cache());
        Path shared = Files.createTempDirectory("fairlead-roce");
        boolean passed = false;
        // A signal waits until the folder is gone too.
        try (StopSignal stop = StopSignal.install()) {
            try {
                passed = run(image, shared, minutes, stop);
            } finally {
                bringBack(shared, passed);
            }
        }
        return passed ? 0 : CommandFailure.FAILED;
    }

    private void checkLimit(int minutes) {
        if (minutes < 1 || minutes > LIMIT_MAX) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '--limit': " + minutes + ", 1 to " + LIMIT_MAX + " minutes");
        }
    }

    private static Path cache() {
        String configured = System.getenv().getOrDefault("XDG_CACHE_HOME", "");
        Path home = configured.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(configured);
        return home.resolve("fairlead").resolve("roce");
    }

    private boolean run(GuestImage image, Path shared, int minutes, StopSignal stop)
            throws IOException, InterruptedException {
        GuestImage.copy("guest.sh", shared);
        GuestImage.copy("lib.sh", shared);
        Files.move(GuestImage.copy(suite.script(), shared), shared.resolve("suite.sh"));
        Files.writeString(shared.resolve("parameters"), parameters());
        System.out.printf(
                Locale.ROOT,
                "roce: suite %s, %s, at most %d minutes%n",
                suite,
                Guest.hasKvm() ? "with KVM" : "emulated: its times say nothing about real devices",
                minutes);
        boolean ended;
        try (Guest guest = Guest.boot(image, shared)) {
            stop.onRequest(guest::stop);
            ended = guest.await(minutes * 60L);
            if (stop.requested()) {
                throw CommandFailure.failed("stopped by a signal");
            }
        }
        Path status = shared.resolve("status");
        if (!Files.exists(status)) {
            throw CommandFailure.failed("the guest "
                    + (ended ? "ended without a result" : "was not done in " + minutes + " minutes; raise --limit")
                    + "; its console is in " + reports.resolve("console.log"));
        }
        String result = Files.readString(status).strip();
        Path counters = shared.resolve("counters");
        List<Packets> packets = Packets.parse(Files.exists(counters) ? Files.readAllLines(counters) : List.of());
        packets.forEach(device -> System.out.println("roce: " + device));
        boolean crossed = Packets.crossed(packets, PACKETS_MIN);
        if (!crossed) {
            System.out.println("roce: FAILED: what was sent did not cross RDMA: fewer than " + PACKETS_MIN
                    + " RDMA packets of a device, or not over its wire");
        }
        System.out.println("roce: suite " + suite + (result.equals("0") ? " passed" : " FAILED: status=" + result));
        return crossed && result.equals("0");
    }

    /** What the scripts have to know of this process. */
    private String parameters() {
        return Map.of(
                        "JAVA",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "CLASS_PATH",
                        absolute(System.getProperty("java.class.path")),
                        "TEST_PATH",
                        absolute(System.getProperty("fairlead.roce.tests", "")),
                        "SUITES",
                        String.join(" ", only))
                .entrySet()
                .stream()
                .map(entry -> entry.getKey() + "='" + entry.getValue().replace("'", "'\\''") + "'\n")
                .collect(Collectors.joining());
    }

    private static String absolute(String classPath) {
        return classPath.isEmpty()
                ? ""
                : List.of(classPath.split(":", -1)).stream()
                        .map(entry -> Path.of(entry).toAbsolutePath().toString())
                        .collect(Collectors.joining(":"));
    }

    private void bringBack(Path shared, boolean passed) throws IOException {
        boolean everything = keep || !passed;
        Files.createDirectories(reports);
        List<Path> left;
        try (var files = Files.list(shared)) {
            left = files.filter(Files::isRegularFile).toList();
        }
        for (Path file : left) {
            String name = file.getFileName().toString();
            if (everything || name.endsWith(".xml") || name.endsWith(".txt") || name.equals("console.log")) {
                Files.copy(file, reports.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Folders.delete(shared);
        System.out.println("roce: reports and logs are in " + reports.toAbsolutePath());
    }
}
