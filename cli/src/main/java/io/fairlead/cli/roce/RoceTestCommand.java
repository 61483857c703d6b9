package io.fairlead.cli.roce;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.process.StopSignal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
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
    /** Of a part of a suite, which may be one class that hardly sends. */
    private static final long PACKETS_MIN_OF_PART = 20;

    private static final int LIMIT_MAX = 240;
    private static final int GUESTS_MAX = 16;
    /** Each takes up to 3 GiB of memory. */
    private static final int GUESTS_DEFAULT_MAX = 2;

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

    private final long beganNs = System.nanoTime();

    @Override
    public Integer call() throws IOException, InterruptedException {
        int minutes = limit.orElse(suite.limitMinutes());
        int count = guests.orElse(guestsByDefault());
        check("--limit", minutes, LIMIT_MAX);
        check("--guests", count, suite == RoceSuite.CONTRACT ? GUESTS_MAX : 1);
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
            List<Path> folders = new ArrayList<>();
            try {
                Path claims = Files.createDirectory(shared.resolve("claims"));
                for (int number = 1; number <= count; number++) {
                    folders.add(fill(Files.createDirectory(shared.resolve("guest-" + number))));
                }
                passed = run(image, folders, claims, minutes, stop);
            } finally {
                bringBack(folders, passed);
                Folders.delete(shared);
            }
        }
        return passed ? 0 : CommandFailure.FAILED;
    }

    private int guestsByDefault() {
        // A guest with KVM has two processors; one class is for one guest.
        int processors = Runtime.getRuntime().availableProcessors() / (Guest.hasKvm() ? 2 : 1);
        return suite == RoceSuite.CONTRACT && only.size() != 1 ? Math.clamp(processors, 1, GUESTS_DEFAULT_MAX) : 1;
    }

    private void check(String option, int value, int limit) {
        if (value < 1 || value > limit) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '" + option + "': " + value + ", 1 to " + limit + " with suite " + suite);
        }
    }

    private static Path cache() {
        String configured = System.getenv().getOrDefault("XDG_CACHE_HOME", "");
        Path home = configured.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(configured);
        return home.resolve("fairlead").resolve("roce");
    }

    private Path fill(Path folder) throws IOException {
        GuestImage.copy("guest.sh", folder);
        GuestImage.copy("lib.sh", folder);
        Files.move(GuestImage.copy(suite.script(), folder), folder.resolve("suite.sh"));
        Files.writeString(folder.resolve("parameters"), parameters());
        return folder;
    }

    private boolean run(GuestImage image, List<Path> folders, Path claims, int minutes, StopSignal stop)
            throws IOException, InterruptedException {
        System.out.printf(
                Locale.ROOT,
                "roce: suite %s, guests=%d, %s, at most %d minutes%n",
                suite,
                folders.size(),
                Guest.hasKvm() ? "with KVM" : "emulated: its times say nothing about real devices",
                minutes);
        boolean ended;
        try (Guests running = new Guests()) {
            stop.onRequest(running::stop);
            running.boot(image, folders, claims);
            ended = running.await(minutes);
            if (stop.requested()) {
                throw CommandFailure.failed("stopped by a signal");
            }
        }
        List<GuestOutcome> outcomes = new ArrayList<>();
        for (Path folder : folders) {
            GuestOutcome outcome = GuestOutcome.read(folder);
            if (outcome.status().equals(GuestOutcome.NONE)) {
                throw CommandFailure.failed("a guest "
                        + (ended ? "ended without a result" : "was not done in " + minutes + " minutes; raise --limit")
                        + "; its console is in "
                        + reportFolder(folder, folders).resolve("console.log"));
            }
            outcomes.add(outcome);
        }
        return judge(outcomes);
    }

    private boolean judge(List<GuestOutcome> all) {
        List<GuestOutcome> outcomes =
                all.stream().filter(outcome -> !outcome.idle(suite)).toList();
        Packets.sum(outcomes.stream().flatMap(outcome -> outcome.packets().stream()))
                .forEach(device -> System.out.println("roce: " + device));
        if (suite == RoceSuite.CONTRACT) {
            System.out.println("roce: "
                    + SuiteResult.totals(outcomes.stream()
                            .flatMap(outcome -> outcome.suites().stream())
                            .toList()));
        }
        long atLeast = only.isEmpty() ? PACKETS_MIN : PACKETS_MIN_OF_PART;
        boolean crossed = outcomes.stream()
                .allMatch(outcome -> Packets.crossed(outcome.packets(), atLeast, suite.oneOfCrosses()));
        if (!crossed) {
            System.out.println("roce: FAILED: what was sent did not cross RDMA: fewer than " + atLeast
                    + " RDMA packets of a device, or not over its wire");
        }
        boolean passed = !outcomes.isEmpty() && outcomes.stream().allMatch(outcome -> outcome.passed(atLeast, suite));
        System.out.println("roce: suite " + suite
                + (passed
                        ? " passed"
                        : " FAILED: status="
                                + outcomes.stream().map(GuestOutcome::status).collect(Collectors.joining(","))));
        return passed;
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

    /** Where the logs of a guest go: if there are several, each has a folder of its own. */
    private Path reportFolder(Path folder, List<Path> folders) {
        return folders.size() > 1 ? reports.resolve(folder.getFileName()) : reports;
    }

    private void bringBack(List<Path> folders, boolean passed) throws IOException {
        boolean everything = keep || !passed;
        for (Path folder : folders) {
            Path logs = Files.createDirectories(reportFolder(folder, folders));
            List<Path> left;
            try (var files = Files.list(folder)) {
                left = files.filter(Files::isRegularFile).toList();
            }
            for (Path file : left) {
                String name = file.getFileName().toString();
                if (everything || name.endsWith(".xml") || name.endsWith(".txt") || name.equals("console.log")) {
                    Path target = (name.endsWith(".xml") ? reports : logs).resolve(name);
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        if (suite == RoceSuite.CONTRACT) {
            SuiteResult.write(
                    reports.resolve("results.txt"),
                    folders,
                    LocalDate.now(ZoneId.systemDefault()) + ", guests=" + folders.size() + ", minutes="
                            + TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - beganNs));
        }
        System.out.println("roce: reports and logs are in " + reports.toAbsolutePath());
    }
}
