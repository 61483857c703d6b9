package io.fairlead.samples.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * The recorded events that the demo publishes, over and over: whoever knows a message's index knows what must be in it.
 * Immutable.
 */
final class DataSet {
    static final String DESCRIPTION = "wildlife strikes recorded by the FAA";

    private static final String RESOURCE = "wildlife-strikes.csv";

    private final List<byte[]> rows;
    private final int longest;

    private DataSet(List<byte[]> rows) {
        this.rows = rows;
        this.longest = rows.stream().mapToInt(row -> row.length).max().orElseThrow();
    }

    static DataSet load() {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(DataSet.class.getResourceAsStream(RESOURCE), RESOURCE),
                StandardCharsets.UTF_8))) {
            return new DataSet(reader.lines()
                    .skip(1)
                    .map(line -> line.getBytes(StandardCharsets.UTF_8))
                    .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int size() {
        return rows.size();
    }

    /** The length of the longest row in bytes. */
    int longest() {
        return longest;
    }

    /** What the message of that index holds, counted from 0; not to be changed. */
    byte[] row(long index) {
        return rows.get((int) (index % rows.size()));
    }
}
