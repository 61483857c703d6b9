package io.fairlead.samples.data;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Recorded events, one a row, to be sent over and over: whoever knows a message's index knows what must be in it. Immutable. */
public final class DataSet {
    /** What the rows are. */
    public static final String DESCRIPTION = "wildlife strikes recorded by the FAA";

    private static final String RESOURCE = "wildlife-strikes.csv";

    private final List<byte[]> rows;
    private final int longest;

    private DataSet(List<byte[]> rows) {
        this.rows = rows;
        this.longest = rows.stream().mapToInt(row -> row.length).max().orElseThrow();
    }

    /**
     * Reads the rows.
     *
     * @return without the line that names the columns
     */
    public static DataSet load() {
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

    /**
     * How many rows there are.
     *
     * @return 1 and up
     */
    public int size() {
        return rows.size();
    }

    /**
     * The length of the longest row.
     *
     * @return bytes
     */
    public int longest() {
        return longest;
    }

    /**
     * What the message of an index holds.
     *
     * @param index counted from 0; after the last row the first follows
     * @return a row's bytes, not to be changed
     */
    public byte[] row(long index) {
        return rows.get((int) (index % rows.size()));
    }
}
