package io.fairlead.build.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * The table at the end of {@code ./fairlead test}: how many cases passed, by module and by what the contract suites ran over. The launcher starts
 * it from its source, because there are reports to count where the build has failed too.
 */
final class TestTotals {
    private static final List<String> SUITES = List.of(
            "testing/testkit/src/main/java/io/fairlead/testkit/contract",
            "testing/layers/src/main/java/io/fairlead/testkit/layers");
    private static final String CONTRACT = "contract on ";

    private final List<TestReport> reports;
    private final Set<String> suites;

    private TestTotals(List<TestReport> reports, Set<String> suites) {
        this.reports = reports;
        this.suites = suites;
    }

    /**
     * Prints the table, and ends with status 1 where no test ran or one that had to run did not. Without names it also does where a case failed.
     *
     * @param arguments the root of the repository, then what must have run: rows of the table, of which a case must have passed, or test
     *     classes, of which none may have been skipped
     */
    static void main(String[] arguments) throws IOException {
        TestTotals totals = read(Path.of(arguments[0]));
        System.out.print(totals.table());
        List<String> missing = List.of(arguments).subList(1, arguments.length).stream()
                .filter(wanted -> !totals.ran(wanted))
                .toList();
        missing.forEach(wanted -> System.err.println("fairlead: " + wanted + " did not run, or was skipped"));
        boolean failed = arguments.length == 1 && totals.hasFailed();
        System.exit(missing.isEmpty() && !totals.isEmpty() && !failed ? 0 : 1);
    }

    static TestTotals read(Path root) throws IOException {
        Set<String> suites = new HashSet<>();
        for (String folder : SUITES) {
            try (Stream<Path> files = Files.list(root.resolve(folder))) {
                files.map(file -> file.getFileName().toString())
                        .filter(file -> file.endsWith("Contract.java"))
                        .map(file -> file.replace(".java", ""))
                        .forEach(suites::add);
            }
        }
        // A class that only runs suites has no case of its own.
        List<TestReport> reports = TestReport.readAll(root).stream()
                .filter(report -> report.cases() > 0)
                .toList();
        return new TestTotals(reports, suites);
    }

    boolean isEmpty() {
        return reports.isEmpty();
    }

    boolean hasFailed() {
        return sum(reports, TestReport::failed) > 0;
    }

    /** Modules first, then runs of the contract, each in the order of their reports; then the sum. */
    String table() {
        Map<String, List<TestReport>> rows = new LinkedHashMap<>();
        for (TestReport report : reports) {
            rows.computeIfAbsent(row(report), _ -> new ArrayList<>()).add(report);
        }
        StringBuilder table = new StringBuilder();
        if (!rows.isEmpty()) {
            table.append(line("", "suites", "cases", "passed", "failed", "skipped"));
        }
        rows.forEach((name, row) -> append(table, name, row, false));
        rows.forEach((name, row) -> append(table, name, row, true));
        return table.append('\n')
                .append(sum(reports, TestReport::passed))
                .append(" passed, ")
                .append(sum(reports, TestReport::failed))
                .append(" failed, ")
                .append(sum(reports, TestReport::skipped))
                .append(" skipped\n")
                .toString();
    }

    /** A run of the contract is one of the suites; what it went over is behind its name, or else it is the module's transport. */
    private String row(TestReport report) {
        if (!suites.contains(report.simpleName())) {
            return "module " + report.module();
        }
        return CONTRACT + (report.variant().isEmpty() ? report.module() : report.variant());
    }

    private static void append(StringBuilder table, String name, List<TestReport> row, boolean contract) {
        if (name.startsWith(CONTRACT) == contract) {
            table.append(line(
                    name,
                    row.size(),
                    sum(row, TestReport::cases),
                    sum(row, TestReport::passed),
                    sum(row, TestReport::failed),
                    sum(row, TestReport::skipped)));
        }
    }

    private static String line(Object... cells) {
        return String.format(Locale.ROOT, "%-28s %7s %7s %7s %7s %7s%n", cells);
    }

    private static int sum(List<TestReport> reports, ToIntFunction<TestReport> figure) {
        return reports.stream().mapToInt(figure).sum();
    }

    /**
     * Whether cases have passed and, for a class, none has failed or was skipped. A contract always skips cases for capabilities that a
     * transport lacks.
     */
    boolean ran(String wanted) {
        List<TestReport> found = reports.stream()
                .filter(report ->
                        row(report).equals(wanted) || report.simpleName().equals(wanted))
                .toList();
        return sum(found, TestReport::passed) > 0
                && (wanted.startsWith(CONTRACT)
                        || sum(found, TestReport::failed) + sum(found, TestReport::skipped) == 0);
    }
}
