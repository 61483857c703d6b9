package io.fairlead.netty.suite;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The counts of all lanes, as they are kept in docs/netty-results.txt and summed up in docs/adapters.md. */
final class NettyResults {
    /** The lanes in the order of the table, Netty's own sockets first. */
    static final List<String> LANES = List.of("nio", "shm", "tcp", "ucx-posix");

    private static final String BEGIN = "<!-- suites: begin -->";
    private static final String END = "<!-- suites: end -->";
    private static final Path FOLDER = RepositoryRoot.path().resolve("docs");
    private static final Path RESULTS = FOLDER.resolve("netty-results.txt");
    private static final Path PAGE = FOLDER.resolve("adapters.md");

    /** By suite, then lane: the counts in words. */
    private final Map<String, Map<String, String>> cells = new TreeMap<>();

    /** What was kept of the last runs. */
    static NettyResults load() {
        NettyResults results = new NettyResults();
        for (String line : read(RESULTS).lines().toList()) {
            String[] fields = line.split(" \\| ", -1);
            results.cells.computeIfAbsent(fields[0], _ -> new TreeMap<>()).put(fields[1], fields[2]);
        }
        return results;
    }

    /** The suites that there are results of. */
    List<String> suites() {
        return List.copyOf(cells.keySet());
    }

    /** Replaces what is known of a lane. */
    void put(String lane, Map<String, NettySuite.Counts> suites, Map<String, Long> excluded) {
        cells.values().forEach(row -> row.remove(lane));
        // A suite of which nothing is left has no counts.
        excluded.keySet().forEach(suite -> suites.putIfAbsent(suite, new NettySuite.Counts()));
        suites.forEach((suite, counts) -> cells.computeIfAbsent(suite, _ -> new TreeMap<>())
                .put(lane, cell(counts, excluded.getOrDefault(suite, 0L))));
    }

    private static String cell(NettySuite.Counts counts, long excluded) {
        StringBuilder cell = new StringBuilder().append(counts.passed);
        if (counts.skipped > 0) {
            cell.append(", ").append(counts.skipped).append(" skipped");
        }
        if (!counts.failed.isEmpty()) {
            cell.append(", ").append(counts.failed.size()).append(" failed");
        }
        if (excluded > 0) {
            cell.append(", ").append(excluded).append(" left out");
        }
        return cell.toString();
    }

    /** Writes what is known, and the table on the page. */
    void store() {
        List<String> lines = new ArrayList<>();
        cells.forEach((suite, row) -> row.forEach((lane, cell) -> lines.add(suite + " | " + lane + " | " + cell)));
        write(RESULTS, String.join("\n", lines) + "\n");
        String page = read(PAGE);
        write(
                PAGE,
                page.substring(0, page.indexOf(BEGIN)) + BEGIN + "\n" + table() + page.substring(page.indexOf(END)));
    }

    /** The table that the page has. */
    static String shown() {
        String page = read(PAGE);
        return page.substring(page.indexOf(BEGIN) + BEGIN.length() + 1, page.indexOf(END));
    }

    /** The table that the page should have: the sums over all suites, because the file of results has each suite. */
    String table() {
        StringBuilder table = new StringBuilder("| sockets | passed, and others |\n|---|---|\n");
        LANES.forEach(lane ->
                table.append("| ").append(lane).append(" | ").append(sum(lane)).append(" |\n"));
        return table.toString();
    }

    private String sum(String lane) {
        Map<String, Integer> sums = new TreeMap<>(java.util.Comparator.comparing(
                word -> List.of("", "skipped", "failed", "left out").indexOf(word)));
        for (Map<String, String> row : cells.values()) {
            for (String part : row.getOrDefault(lane, "0").split(", ")) {
                String[] words = part.split(" ", 2);
                sums.merge(words.length > 1 ? words[1] : "", Integer.parseInt(words[0]), Integer::sum);
            }
        }
        List<String> parts = new ArrayList<>();
        sums.forEach((word, sum) -> parts.add(word.isEmpty() ? String.valueOf(sum) : sum + " " + word));
        return String.join(", ", parts);
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
