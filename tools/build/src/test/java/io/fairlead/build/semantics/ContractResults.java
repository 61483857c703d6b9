package io.fairlead.build.semantics;

import io.fairlead.build.report.TestReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the contract suites did over each transport, as it is kept in docs/contract-results.txt: a line {@code # transport: how and when} for
 * each transport, and a line {@code transport suite passed failed skipped left-out} for each run of a suite.
 */
final class ContractResults {
    /** The columns: names in docs, and what a report has behind the name of its suite. */
    private static final Map<String, String> TRANSPORTS = Map.of(
            "loopback", "loopback", "tcp", "tcp", "shm-cma", "shm", "ucx-posix-cma", "ucx-shm", "ucx-rc", "ucx-rc");

    static final List<String> COLUMNS = List.of("loopback", "tcp", "shm", "ucx-shm", "ucx-rc");

    private static final Pattern LINE = Pattern.compile("(\\S+) (\\w+) (\\d+) (\\d+) (\\d+) (\\d+)");
    private static final Pattern HEADING = Pattern.compile("# ([\\w-]+): (.+)");
    private static final Pattern GUEST = Pattern.compile("(\\w+Contract) (\\d+) (\\d+) (\\d+) (\\d+) \\d+ [\\d.]+");

    private final Map<String, Map<String, Cases>> byTransport = new TreeMap<>();
    private final Map<String, String> headings = new TreeMap<>();

    private record Cases(long passed, long failed, long skipped, long leftOut) {
        String cell() {
            return (failed > 0 ? "**" + failed + " failed**, " : "")
                    + passed
                    + (skipped > 0 ? ", " + skipped + " skipped" : "")
                    + (leftOut > 0 ? ", " + leftOut + " left out" : "");
        }
    }

    static ContractResults read(Path file) throws IOException {
        ContractResults results = new ContractResults();
        for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
            Matcher heading = HEADING.matcher(line);
            Matcher run = LINE.matcher(line);
            if (heading.matches()) {
                results.headings.put(heading.group(1), heading.group(2));
            } else if (run.matches()) {
                results.put(run.group(1), run.group(2), cases(run, 3));
            }
        }
        return results;
    }

    private static Cases cases(Matcher numbers, int from) {
        return new Cases(
                Long.parseLong(numbers.group(from)),
                Long.parseLong(numbers.group(from + 1)),
                Long.parseLong(numbers.group(from + 2)),
                Long.parseLong(numbers.group(from + 3)));
    }

    private void put(String transport, String suite, Cases cases) {
        byTransport.computeIfAbsent(transport, key -> new TreeMap<>()).put(suite, cases);
    }

    /** Replaces what is known of each transport of which there are reports: Surefire's of all modules, and the guests'. */
    void collect(Path root) throws IOException {
        ContractResults found = new ContractResults();
        for (TestReport report : TestReport.readAll(root)) {
            found.add(report);
        }
        Path guests = root.resolve("target/roce/results.txt");
        if (Files.exists(guests)) {
            found.addGuests(Files.readAllLines(guests));
        }
        byTransport.putAll(found.byTransport);
        headings.putAll(found.headings);
    }

    private void add(TestReport report) throws IOException {
        String transport = TRANSPORTS.get(report.variant());
        if (transport != null && report.simpleName().endsWith("Contract")) {
            put(transport, report.simpleName(), new Cases(report.passed(), report.failed(), report.skipped(), 0));
            headings.put(
                    transport,
                    LocalDate.ofInstant(Files.getLastModifiedTime(report.file()).toInstant(), ZoneId.systemDefault())
                            .toString());
        }
    }

    private void addGuests(List<String> lines) {
        for (String line : lines) {
            Matcher run = GUEST.matcher(line);
            if (run.matches()) {
                put("ucx-rc", run.group(1), cases(run, 2));
            } else if (line.startsWith("# ")) {
                headings.put("ucx-rc", line.substring(2));
            }
        }
    }

    void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        headings.forEach((transport, how) -> lines.add("# " + transport + ": " + how));
        byTransport.forEach((transport, suites) -> suites.forEach((suite, cases) -> lines.add(transport + " " + suite
                + " " + cases.passed + " " + cases.failed + " " + cases.skipped + " " + cases.leftOut)));
        Files.write(file, lines);
    }

    /** A column for each transport, and a row for each suite that did not pass whole everywhere: the file of results has all. */
    String table(Collection<String> suites) {
        StringBuilder table = new StringBuilder("| suite |");
        COLUMNS.forEach(column -> table.append(' ').append(column).append(" |"));
        table.append("\n|---|").append("---|".repeat(COLUMNS.size())).append('\n');
        for (String suite : suites) {
            List<String> cells =
                    COLUMNS.stream().map(column -> cell(column, suite)).toList();
            if (!cells.stream().allMatch(cell -> cell.matches("\\d+"))) {
                table.append("| ")
                        .append(suite)
                        .append(" | ")
                        .append(String.join(" | ", cells))
                        .append(" |\n");
            }
        }
        table.append("| **all** |");
        COLUMNS.forEach(column -> table.append(' ').append(sum(column)).append(" |"));
        table.append("\n\n");
        COLUMNS.forEach(column -> table.append("- ")
                .append(column)
                .append(": ")
                .append(headings.getOrDefault(column, "not run"))
                .append('\n'));
        return table.toString();
    }

    private String cell(String transport, String suite) {
        Cases cases = byTransport.getOrDefault(transport, Map.of()).get(suite);
        return cases == null ? "-" : cases.cell();
    }

    private String sum(String transport) {
        Collection<Cases> all = byTransport.getOrDefault(transport, Map.of()).values();
        return new Cases(
                        all.stream().mapToLong(Cases::passed).sum(),
                        all.stream().mapToLong(Cases::failed).sum(),
                        all.stream().mapToLong(Cases::skipped).sum(),
                        all.stream().mapToLong(Cases::leftOut).sum())
                .cell();
    }

    /** The runs of suites that are known, as transport and suite. */
    List<String> runs() {
        return byTransport.entrySet().stream()
                .flatMap(entry -> entry.getValue().keySet().stream().map(suite -> entry.getKey() + " " + suite))
                .toList();
    }
}
