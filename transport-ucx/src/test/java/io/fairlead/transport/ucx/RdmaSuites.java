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
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.platform.engine.FilterResult;
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
 */
public final class RdmaSuites {
    private RdmaSuites() {}

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
        long failed = 0;
        long passed = 0;
        for (String name : names) {
            TestExecutionSummary summary = run(name, reports, out);
            failed += summary.getTotalFailureCount();
            passed += summary.getTestsSucceededCount();
        }
        out.printf(
                Locale.ROOT,
                "roce: %d suites, %d cases passed, %d failed, %d excluded%n",
                names.size(),
                passed,
                failed,
                RdmaExclusions.CASES.size());
        // Threads of a case that hung must not keep the process.
        Runtime.getRuntime().halt(failed == 0 && passed > 0 ? 0 : 1);
    }

    private static TestExecutionSummary run(String name, Path reports, PrintWriter out)
            throws IOException, ClassNotFoundException {
        long began = System.nanoTime();
        Path folder = Files.createTempDirectory("report");
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(Class.forName(RdmaSuites.class.getPackageName() + "." + name)))
                .filters((PostDiscoveryFilter) descriptor -> descriptor
                        .getSource()
                        .filter(MethodSource.class::isInstance)
                        .map(MethodSource.class::cast)
                        .filter(source -> RdmaExclusions.CASES.containsKey(
                                source.getJavaClass().getSimpleName() + "." + source.getMethodName()))
                        .map(source -> FilterResult.excluded("see RdmaExclusions"))
                        .orElse(FilterResult.included("not excluded")))
                .build();
        LauncherFactory.create().execute(request, summary, new LegacyXmlReportGeneratingListener(folder, out));
        Path report = folder.resolve("TEST-junit-jupiter.xml");
        if (Files.exists(report)) {
            Files.move(report, reports.resolve("TEST-" + name + "(ucx-rc).xml"), StandardCopyOption.REPLACE_EXISTING);
        }
        TestExecutionSummary result = summary.getSummary();
        out.printf(
                Locale.ROOT,
                "roce: %-46s %3d passed %2d failed %2d skipped %6.1f s%n",
                name,
                result.getTestsSucceededCount(),
                result.getTotalFailureCount(),
                result.getTestsSkippedCount() + result.getTestsAbortedCount(),
                (System.nanoTime() - began) / 1e9);
        for (TestExecutionSummary.Failure failure : result.getFailures()) {
            out.println("roce:   FAILED " + failure.getTestIdentifier().getDisplayName() + ": "
                    + String.valueOf(failure.getException()).lines().findFirst().orElse(""));
        }
        return result;
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
