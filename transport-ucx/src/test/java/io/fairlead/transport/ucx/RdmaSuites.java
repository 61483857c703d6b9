package io.fairlead.transport.ucx;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.TransportContract;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.junit.platform.reporting.legacy.xml.LegacyXmlReportGeneratingListener;

/**
 * Runs the contract suites where there is no Maven, such as in a guest with RDMA devices: suite after suite, with a line and a report for
 * each, so that what is cut off has told what it did. Arguments: the folder for reports, a folder of claims, then names of suites, or
 * none for all.
 *
 * <p>A suite is run by the first that makes the folder of its name among the claims. So several guests share the suites out, and a run
 * that ended the JVM, or that this one ends since a suite did not come back, is gone on with by starting it once more. What came of a
 * suite is added to {@code results.txt} in the folder for reports: its name, cases that passed, failed, were skipped and were left out,
 * RDMA packets that were sent meanwhile, and seconds.
 */
public final class RdmaSuites {
    /** The exit status that asks to be started again. */
    private static final int GO_ON = 3;

    /** Those that take longest, the longest first: whoever shares the suites out begins with them. */
    private static final List<String> LONGEST = List.of(
            "ProcessContract",
            "FaultRoundsContract",
            "ResourceContract",
            "TaggedModelContract",
            "PubSubSnapshotContract",
            "NodeMessageContract",
            "NodeContextContract");

    /** Where suites are: those of the layers are on the path where their module was built. */
    private static final List<String> PACKAGES =
            List.of(TransportContract.class.getPackageName(), "io.fairlead.testkit.layers");

    private static final String RESULTS = "results.txt";
    private static final long LIMIT_S = Long.getLong("fairlead.roce.limit-s", 300);
    /** What the names of reports end with. */
    private static final String VARIANT = System.getProperty("fairlead.roce.variant", "ucx-rc");

    private final Path reports;
    private final PrintWriter out;
    private volatile SummaryGeneratingListener summary = new SummaryGeneratingListener();

    private RdmaSuites(Path reports, PrintWriter out) {
        this.reports = reports;
        this.out = out;
    }

    /**
     * Runs them.
     *
     * @param args see above
     * @throws Exception if suites or reports cannot be read or written
     */
    public static void main(String[] args) throws Exception {
        Path reports = Path.of(args[0]);
        Path claims = Path.of(args[1]);
        List<String> names = args.length > 2 ? List.of(args).subList(2, args.length) : all();
        PrintWriter out = new PrintWriter(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        RdmaSuites suites = new RdmaSuites(reports, out);
        Files.writeString(
                reports.resolve(RESULTS),
                "# UCX "
                        + IntStream.of(Ucp.version())
                                .mapToObj(Integer::toString)
                                .collect(Collectors.joining(".")) + ", Linux " + System.getProperty("os.version")
                        + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        for (String name : names) {
            if (claim(claims.resolve(name))) {
                Files.writeString(reports.resolve("running"), name);
                suites.runWithin(name);
            }
        }
        // Threads of a case that hung must not keep the process.
        Runtime.getRuntime().halt(0);
    }

    private static boolean claim(Path folder) throws IOException {
        try {
            Files.createDirectory(folder);
            return true;
        } catch (FileAlreadyExistsException taken) {
            return false;
        }
    }

    private void runWithin(String name) throws IOException, InterruptedException {
        long began = System.nanoTime();
        long packets = packetsSent();
        AtomicReference<Throwable> broken = new AtomicReference<>();
        Thread runner = Thread.ofPlatform().daemon().name("suite").start(() -> {
            try {
                run(name);
            } catch (Throwable thrown) {
                broken.set(thrown);
            }
        });
        runner.join(Duration.ofSeconds(LIMIT_S));
        boolean hung = runner.isAlive();
        TestExecutionSummary result = summary.getSummary();
        long passed = result.getTestsSucceededCount();
        long failed = result.getTotalFailureCount() + (hung || broken.get() != null ? 1 : 0);
        long skipped = result.getTestsSkippedCount() + result.getTestsAbortedCount();
        packets = packetsSent() - packets;
        double seconds = (System.nanoTime() - began) / 1e9;
        out.printf(
                Locale.ROOT,
                "roce: %-42s %3d passed %2d failed %2d skipped %,11d packets %6.1f s%n",
                name,
                passed,
                failed,
                skipped,
                packets,
                seconds);
        for (TestExecutionSummary.Failure failure : result.getFailures()) {
            out.println("roce:   FAILED " + failure.getTestIdentifier().getLegacyReportingName() + ": "
                    + String.valueOf(failure.getException()).lines().findFirst().orElse(""));
        }
        if (broken.get() != null) {
            out.println("roce:   FAILED " + broken.get());
        }
        Files.writeString(
                reports.resolve(RESULTS),
                String.format(
                        Locale.ROOT,
                        "%s %d %d %d %d %d %.1f%n",
                        name,
                        passed,
                        failed,
                        skipped,
                        excluded(name),
                        packets,
                        seconds),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        if (hung) {
            out.println("roce:   FAILED not done after " + LIMIT_S + " s, at");
            Stream.of(runner.getStackTrace()).limit(40).forEach(frame -> out.println("roce:     " + frame));
            Runtime.getRuntime().halt(GO_ON);
        }
    }

    private void run(String name) throws IOException {
        Path folder = Files.createTempDirectory("report");
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        summary = listener;
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(suite(name)))
                .configurationParameter(ContractSuites.TRANSPORT, UcxUnderTest.class.getName())
                .filters(EngineFilter.includeEngines("junit-jupiter"), (PostDiscoveryFilter) RdmaSuites::chosen)
                .build();
        LauncherFactory.create().execute(request, listener, new LegacyXmlReportGeneratingListener(folder, out));
        Path report = folder.resolve("TEST-junit-jupiter.xml");
        if (Files.exists(report)) {
            Files.move(
                    report,
                    reports.resolve("TEST-" + name + "(" + VARIANT + ").xml"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static Class<?> suite(String name) {
        return classes()
                .filter(type -> type.getSimpleName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such suite: " + name + ", there are " + all()));
    }

    /** The suites and cases that are not run here. */
    private static Set<String> leftOut() {
        Set<String> leftOut = new HashSet<>(
                TransportUnderTest.named(UcxUnderTest.class.getName()).leftOut().keySet());
        leftOut.addAll(RdmaExclusions.LAYERS.keySet());
        return leftOut;
    }

    private static long excluded(String name) {
        return leftOut().stream()
                .filter(excluded -> excluded.startsWith(name + "."))
                .count();
    }

    /** By all RDMA devices of this host. */
    private static long packetsSent() throws IOException {
        Path devices = Path.of("/sys/class/infiniband");
        if (!Files.isDirectory(devices)) {
            return 0;
        }
        long sent = 0;
        try (Stream<Path> all = Files.list(devices)) {
            for (Path device : all.toList()) {
                Path counter = device.resolve("ports/1/hw_counters/sent_pkts");
                sent += Files.exists(counter)
                        ? Long.parseLong(Files.readString(counter).strip())
                        : 0;
            }
        }
        return sent;
    }

    private static FilterResult chosen(TestDescriptor descriptor) {
        return descriptor
                .getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .filter(source -> isLeftOut(source.getJavaClass().getSimpleName(), source.getMethodName()))
                .map(source -> FilterResult.excluded("left out by the transport"))
                .orElse(FilterResult.included("not left out"));
    }

    private static boolean isLeftOut(String suite, String method) {
        Set<String> leftOut = leftOut();
        return leftOut.contains(suite) || leftOut.contains(suite + "." + method);
    }

    /** The suites of the testkit, in the order in which they are best begun. */
    static List<String> all() {
        return classes()
                .map(Class::getSimpleName)
                .sorted(Comparator.comparingInt(
                                (String name) -> LONGEST.contains(name) ? LONGEST.indexOf(name) : LONGEST.size())
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private static Stream<Class<?>> classes() {
        return PACKAGES.stream()
                .flatMap(name -> ReflectionSupport.streamAllClassesInPackage(
                        name,
                        type -> TransportContract.class.isAssignableFrom(type)
                                && !Modifier.isAbstract(type.getModifiers()),
                        type -> type.endsWith("Contract")));
    }
}
