package io.fairlead.transport.ucx;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.junit.platform.reporting.legacy.xml.LegacyXmlReportGeneratingListener;

/**
 * Runs the contract suites where there is no Maven, such as in a guest with RDMA devices: class after class, with a line and a report for
 * each, so that what is cut off has told what it did. Arguments: the folder for reports, then names of classes, or none for all.
 *
 * <p>What came of a class is added to {@code results.txt} in that folder, and a class that is there is not run again. So a run that
 * ended the JVM, or that this one ends since a class did not come back, is gone on with by starting it once more.
 */
public final class RdmaSuites {
    /** The exit status that asks to be started again. */
    private static final int GO_ON = 3;

    private static final long LIMIT_S = Long.getLong("fairlead.roce.limit-s", 300);

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
     * @throws Exception if classes or reports cannot be read or written
     */
    public static void main(String[] args) throws Exception {
        Path reports = Path.of(args[0]);
        List<String> names = args.length > 1 ? List.of(args).subList(1, args.length) : all();
        PrintWriter out = new PrintWriter(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        Path file = reports.resolve("results.txt");
        List<String> done = Files.exists(file) ? Files.readAllLines(file) : List.of();
        RdmaSuites suites = new RdmaSuites(reports, out);
        for (String name : names) {
            if (done.stream().noneMatch(line -> line.startsWith(name + " "))) {
                Files.writeString(reports.resolve("running"), name);
                suites.runWithin(name, file);
            }
        }
        List<long[]> results = Files.readAllLines(file).stream()
                .map(line -> Stream.of(line.split(" ", -1))
                        .skip(1)
                        .limit(3)
                        .mapToLong(Long::parseLong)
                        .toArray())
                .toList();
        long passed = results.stream().mapToLong(counts -> counts[0]).sum();
        long failed = results.stream().mapToLong(counts -> counts[1]).sum();
        out.printf(
                Locale.ROOT,
                "roce: %d suites, %d cases passed, %d failed, %d skipped, %d excluded%n",
                results.size(),
                passed,
                failed,
                results.stream().mapToLong(counts -> counts[2]).sum(),
                RdmaExclusions.CASES.size());
        // Threads of a case that hung must not keep the process.
        Runtime.getRuntime().halt(failed == 0 && passed > 0 ? 0 : 1);
    }

    private void runWithin(String name, Path results) throws IOException, InterruptedException {
        long began = System.nanoTime();
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
        double seconds = (System.nanoTime() - began) / 1e9;
        out.printf(
                Locale.ROOT,
                "roce: %-46s %3d passed %2d failed %2d skipped %6.1f s%n",
                name,
                passed,
                failed,
                skipped,
                seconds);
        for (TestExecutionSummary.Failure failure : result.getFailures()) {
            out.println("roce:   FAILED " + failure.getTestIdentifier().getLegacyReportingName() + ": "
                    + String.valueOf(failure.getException()).lines().findFirst().orElse(""));
        }
        if (broken.get() != null) {
            out.println("roce:   FAILED " + broken.get());
        }
        Files.writeString(
                results,
                String.format(Locale.ROOT, "%s %d %d %d %.1f%n", name, passed, failed, skipped, seconds),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        if (hung) {
            out.println("roce:   FAILED not done after " + LIMIT_S + " s, at");
            Stream.of(runner.getStackTrace()).limit(40).forEach(frame -> out.println("roce:     " + frame));
            Runtime.getRuntime().halt(GO_ON);
        }
    }

    private void run(String name) throws IOException, ClassNotFoundException {
        Path folder = Files.createTempDirectory("report");
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        summary = listener;
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(Class.forName(RdmaSuites.class.getPackageName() + "." + name)))
                .filters((PostDiscoveryFilter) RdmaSuites::chosen)
                .build();
        LauncherFactory.create().execute(request, listener, new LegacyXmlReportGeneratingListener(folder, out));
        Path report = folder.resolve("TEST-junit-jupiter.xml");
        if (Files.exists(report)) {
            Files.move(report, reports.resolve("TEST-" + name + "(ucx-rc).xml"), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Leaves out what is excluded, by the name of the class that runs the case: its suite has the method. */
    private static FilterResult chosen(TestDescriptor descriptor) {
        return descriptor
                .getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .filter(source -> RdmaExclusions.CASES.containsKey(
                        source.getJavaClass().getSimpleName() + "." + source.getMethodName()))
                .map(source -> FilterResult.excluded("see RdmaExclusions"))
                .orElse(FilterResult.included("not excluded"));
    }

    /** The classes beside this one that run a contract. */
    static List<String> all() throws IOException {
        Path folder;
        try {
            folder = Path.of(RdmaSuites.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException impossible) {
            throw new IOException(impossible);
        }
        try (Stream<Path> files =
                Files.list(folder.resolve(RdmaSuites.class.getPackageName().replace('.', '/')))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("Ucx\\w+ContractTest\\.class"))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .sorted()
                    .toList();
        }
    }
}
