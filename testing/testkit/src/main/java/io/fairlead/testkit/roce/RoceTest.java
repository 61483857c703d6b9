package io.fairlead.testkit.roce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Runs Fairlead over RDMA verbs on a host without an RDMA device: in virtual machines (guests) whose kernel has RoCE in software. A guest runs subcommands of
 * the {@code fairlead} command, from the classes that {@link Command} names, with the JDK of this process. {@link #run} belongs to one thread;
 * {@link #stop} may be called from any.
 */
public final class RoceTest {
    /** The longest time that a guest may be given, in minutes. */
    public static final int LIMIT_MINUTES_MAX = 240;

    /** Less than any suite needs, and more than finding each other takes. */
    private static final long PACKETS_MIN = 200;
    /** Of a part of a suite, which may be one class that hardly sends. */
    private static final long PACKETS_MIN_OF_PART = 20;
    /** Each takes up to 3 GiB of memory. */
    private static final int GUESTS_DEFAULT_MAX = 2;

    private final Options options;
    private final Command command;
    private final Consumer<String> out;
    private final StopRequest stop = new StopRequest();
    private final long beganNs = System.nanoTime();

    /**
     * What to run, and where the results go.
     *
     * @param suite the suite to run
     * @param only names of the contract suites or faults to run alone; empty for all
     * @param guests among how many guests the suite is divided, at most {@link RoceSuite#guestsMax()}; empty for one for each processor, at most 2
     * @param limitMinutes the time in minutes after which a guest is ended, 1 to {@value RoceTest#LIMIT_MINUTES_MAX}
     * @param reports the folder for reports and logs
     * @param keep whether scripts and logs are kept after success, as they are after a failure
     */
    public record Options(
            RoceSuite suite,
            List<String> only,
            Optional<Integer> guests,
            int limitMinutes,
            Path reports,
            boolean keep) {}

    /**
     * The classes that a guest runs. A guest sees the files of this host.
     *
     * @param classPath the class path of the {@code fairlead} command
     * @param mainClass the main class of the command
     * @param testPath the class path of the contract suites over UCX, or for {@link RoceSuite#GRPC} that of the processes that speak gRPC; empty if it is not built
     */
    public record Command(String classPath, String mainClass, String testPath) {}

    /**
     * Makes a run, which begins with {@link #run}.
     *
     * @param options what to run
     * @param command the classes that the guests run
     * @param out takes the report, line by line
     */
    public RoceTest(Options options, Command command, Consumer<String> out) {
        this.options = options;
        this.command = command;
        this.out = out;
    }

    /**
     * Boots the guests and waits until they have ended.
     *
     * @return true if everything passed, and if RDMA packets of both devices have crossed the network
     * @throws IOException if a file cannot be read or written
     * @throws InterruptedException if the thread is interrupted
     * @throws RoceException if the run could not begin or go on
     */
    public boolean run() throws IOException, InterruptedException {
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            throw new RoceException("roce-test runs on Linux on amd64 only: here " + System.getProperty("os.name")
                    + " on " + System.getProperty("os.arch"));
        }
        GuestImage image = GuestImage.prepare(cache(), out);
        Path shared = Files.createTempDirectory("fairlead-roce");
        boolean passed = false;
        List<Path> folders = new ArrayList<>();
        try {
            Path claims = Files.createDirectory(shared.resolve("claims"));
            int count = options.guests().orElseGet(this::guestsByDefault);
            for (int number = 1; number <= count; number++) {
                folders.add(fill(Files.createDirectory(shared.resolve("guest-" + number))));
            }
            passed = run(image, folders, claims);
        } finally {
            bringBack(folders, passed);
            Folders.delete(shared);
        }
        return passed;
    }

    /** Ends the guests. May be called from any thread; {@link #run} then cleans up and throws. */
    public void stop() {
        stop.request();
    }

    private int guestsByDefault() {
        // A guest with KVM has two processors; one class is for one guest.
        int processors = Runtime.getRuntime().availableProcessors() / (Guest.hasKvm() ? 2 : 1);
        return options.suite().runsClasses() && options.only().size() != 1
                ? Math.clamp(processors, 1, GUESTS_DEFAULT_MAX)
                : 1;
    }

    private static Path cache() {
        String configured = System.getenv().getOrDefault("XDG_CACHE_HOME", "");
        Path home = configured.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(configured);
        return home.resolve("fairlead").resolve("roce");
    }

    private Path fill(Path folder) throws IOException {
        GuestImage.copy("guest.sh", folder);
        for (String library : GuestImage.LIBRARIES) {
            GuestImage.copy(library, folder);
        }
        Files.move(GuestImage.copy(options.suite().script(), folder), folder.resolve("suite.sh"));
        Files.writeString(folder.resolve("parameters"), parameters());
        return folder;
    }

    private boolean run(GuestImage image, List<Path> folders, Path claims) throws IOException, InterruptedException {
        int minutes = options.limitMinutes();
        out.accept("roce: suite " + options.suite() + ", guests=" + folders.size() + ", "
                + (Guest.hasKvm() ? "with KVM" : "emulated: its times say nothing about real devices") + ", at most "
                + minutes + " minutes");
        boolean ended;
        try (Guests running = new Guests()) {
            running.boot(image, folders, claims, options.suite().clockShift(), out);
            stop.onRequest(running::stop);
            ended = running.await(minutes);
            if (stop.requested()) {
                throw new RoceException("stopped by a signal");
            }
        }
        List<GuestOutcome> outcomes = new ArrayList<>();
        for (Path folder : folders) {
            GuestOutcome outcome = GuestOutcome.read(folder);
            if (outcome.status().equals(GuestOutcome.NONE)) {
                throw new RoceException("a guest "
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
                all.stream().filter(outcome -> !outcome.idle(options.suite())).toList();
        Packets.sum(outcomes.stream().flatMap(outcome -> outcome.packets().stream()))
                .forEach(device -> out.accept("roce: " + device));
        if (options.suite().runsClasses()) {
            out.accept("roce: "
                    + SuiteResult.totals(outcomes.stream()
                            .flatMap(outcome -> outcome.suites().stream())
                            .toList()));
        }
        long atLeast = options.only().isEmpty() ? PACKETS_MIN : PACKETS_MIN_OF_PART;
        boolean crossed = outcomes.stream()
                .allMatch(outcome -> Packets.crossed(
                        outcome.packets(), atLeast, options.suite().oneOfCrosses()));
        if (!crossed) {
            out.accept("roce: FAILED: what was sent did not cross RDMA: fewer than " + atLeast
                    + " RDMA packets of a device, or not over its wire");
        }
        boolean passed =
                !outcomes.isEmpty() && outcomes.stream().allMatch(outcome -> outcome.passed(atLeast, options.suite()));
        out.accept("roce: suite " + options.suite()
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
                        absolute(command.classPath()),
                        "MAIN_CLASS",
                        command.mainClass(),
                        "TEST_PATH",
                        absolute(command.testPath()),
                        "CLOCK",
                        Guest.hasKvm() ? "time" : "instructions",
                        "SUITES",
                        String.join(" ", options.only()))
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
        return folders.size() > 1 ? options.reports().resolve(folder.getFileName()) : options.reports();
    }

    private void bringBack(List<Path> folders, boolean passed) throws IOException {
        boolean everything = options.keep() || !passed;
        for (Path folder : folders) {
            Path logs = Files.createDirectories(reportFolder(folder, folders));
            List<Path> left;
            try (var files = Files.list(folder)) {
                left = files.filter(Files::isRegularFile).toList();
            }
            for (Path file : left) {
                String name = file.getFileName().toString();
                if (name.equals(SuiteResult.FILE)) {
                    // The results of all guests are written below, in a file named after the suite.
                    continue;
                }
                if (everything || name.endsWith(".xml") || name.endsWith(".txt") || name.equals("console.log")) {
                    Path target = (name.endsWith(".xml") ? options.reports() : logs).resolve(name);
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        if (options.suite().runsClasses()) {
            SuiteResult.write(
                    options.reports().resolve(options.suite().results()),
                    folders,
                    LocalDate.now(ZoneId.systemDefault()) + ", guests=" + folders.size() + ", minutes="
                            + TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - beganNs));
        }
        out.accept("roce: reports and logs are in " + options.reports().toAbsolutePath());
    }
}
