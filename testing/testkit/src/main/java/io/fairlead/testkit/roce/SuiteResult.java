package io.fairlead.testkit.roce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The result of one class of the contract suites in a guest.
 *
 * @param name the class
 * @param passed its cases that passed
 * @param failed its cases that failed, and one more if the class did not end
 * @param skipped its cases that skipped themselves
 * @param excluded its cases that are never run over RDMA
 * @param packets RDMA packets that were sent meanwhile
 * @param seconds by the guest's clock
 */
record SuiteResult(String name, long passed, long failed, long skipped, long excluded, long packets, double seconds) {
    /** Where a guest writes them. */
    static final String FILE = "results.txt";

    private static final Pattern LINE = Pattern.compile("(\\w+) (\\d+) (\\d+) (\\d+) (\\d+) (\\d+) (\\d+(?:\\.\\d+)?)");

    /** Reads what the guest wrote; a suite that runs no classes writes nothing. */
    static List<SuiteResult> read(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        return Files.exists(file) ? parse(Files.readAllLines(file)) : List.of();
    }

    static List<SuiteResult> parse(List<String> lines) {
        return lines.stream()
                .map(LINE::matcher)
                .filter(Matcher::matches)
                .map(line -> new SuiteResult(
                        line.group(1),
                        Long.parseLong(line.group(2)),
                        Long.parseLong(line.group(3)),
                        Long.parseLong(line.group(4)),
                        Long.parseLong(line.group(5)),
                        Long.parseLong(line.group(6)),
                        Double.parseDouble(line.group(7))))
                .toList();
    }

    /** As {@link #parse} reads it. */
    String line() {
        return String.format(
                Locale.ROOT, "%s %d %d %d %d %d %.1f", name, passed, failed, skipped, excluded, packets, seconds);
    }

    /** Writes what several guests did as one, for the table in docs/semantics.md; a remark of a guest's comes first. */
    static void write(Path target, List<Path> folders, String heading) throws IOException {
        List<String> lines = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        for (Path folder : folders) {
            read(folder).stream().map(SuiteResult::line).forEach(lines::add);
            Path file = folder.resolve(FILE);
            if (remarks.isEmpty() && Files.exists(file)) {
                Files.readAllLines(file).stream()
                        .filter(line -> line.startsWith("# "))
                        .findFirst()
                        .ifPresent(remarks::add);
            }
        }
        lines.sort(Comparator.naturalOrder());
        lines.addFirst(remarks.isEmpty() ? "# " + heading : remarks.getFirst() + ", " + heading);
        Files.write(target, lines);
    }

    /** The totals in words. */
    static String totals(List<SuiteResult> results) {
        return String.format(
                Locale.ROOT,
                "%d suites, %d cases passed, %d failed, %d skipped, %d left out",
                results.size(),
                results.stream().mapToLong(SuiteResult::passed).sum(),
                results.stream().mapToLong(SuiteResult::failed).sum(),
                results.stream().mapToLong(SuiteResult::skipped).sum(),
                results.stream().mapToLong(SuiteResult::excluded).sum());
    }
}
