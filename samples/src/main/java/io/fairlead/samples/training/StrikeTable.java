package io.fairlead.samples.training;

import io.fairlead.samples.data.DataSet;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The data set as a network reads it. Each row of it is a strike, and the question is whether it damaged the aircraft.
 *
 * <p>What is known of a strike becomes a few features, each of which it has or has not: one for the phase of flight, one for the
 * species, one for the speed in steps of 20 knots, and so on. A row is the numbers of the features that it has, and nothing
 * has to be scaled. Values that are rare among the rows to train on share one feature for each column. Immutable.
 */
public final class StrikeTable {
    /** Of ten rows in the order of their dates the first eight are trained on, and the others test what was learnt. */
    private static final int TRAINED_TENTHS = 8;

    private static final int RARE = 20;
    private static final int SPEED_STEP_KN = 20;

    private static final int DATE = 0;
    private static final int DAMAGE = 7;
    private static final int SPEED = 9;
    /** The columns that hold one of a set of values; the cost is left out, since it is a consequence of the damage. */
    private static final List<Integer> CATEGORIES = List.of(1, 2, 3, 4, 5, 6);

    private final List<int[]> features;
    private final boolean[] damaged;
    private final int trained;
    private final int featureCount;

    private StrikeTable(List<int[]> features, boolean[] damaged, int trained, int featureCount) {
        this.features = features;
        this.damaged = damaged;
        this.trained = trained;
        this.featureCount = featureCount;
    }

    /**
     * Makes the table of the data set that comes with Fairlead.
     *
     * @return the same each time
     */
    public static StrikeTable load() {
        DataSet data = DataSet.load();
        return of(IntStream.range(0, data.size())
                .mapToObj(row -> new String(data.row(row), StandardCharsets.UTF_8))
                .toList());
    }

    /** Makes the table of lines of the data set. */
    static StrikeTable of(List<String> rows) {
        List<List<String>> values = rows.stream().map(StrikeTable::values).toList();
        int trained = rows.size() * TRAINED_TENTHS / 10;
        Map<String, Integer> numbers = number(values.subList(0, trained));
        List<int[]> features = values.stream()
                .map(row -> row.stream()
                        .mapToInt(value -> numbers.getOrDefault(value, numbers.get(rareOf(value))))
                        .toArray())
                .toList();
        boolean[] damaged = new boolean[rows.size()];
        for (int row = 0; row < damaged.length; row++) {
            damaged[row] = !"None".equals(column(rows.get(row), DAMAGE));
        }
        return new StrikeTable(features, damaged, trained, numbers.size());
    }

    /** What is known of a strike before anybody looks for damage, each value with the name of its column. */
    private static List<String> values(String row) {
        String[] columns = row.split(",", -1);
        List<String> values = new ArrayList<>();
        for (int column : CATEGORIES) {
            values.add(column + "=" + columns[column]);
        }
        values.add("month=" + columns[DATE].substring(5, 7));
        values.add(
                "speed=" + (columns[SPEED].isEmpty() ? "unknown" : Integer.parseInt(columns[SPEED]) / SPEED_STEP_KN));
        return values;
    }

    private static String column(String row, int column) {
        return row.split(",", -1)[column];
    }

    /** Gives each frequent value a number, and one more for the rare ones of each column. */
    private static Map<String, Integer> number(List<List<String>> rows) {
        Map<String, Integer> counts = new TreeMap<>();
        rows.forEach(row -> row.forEach(value -> counts.merge(value, 1, Integer::sum)));
        Map<String, Integer> numbers = new TreeMap<>();
        counts.forEach((value, count) -> {
            numbers.putIfAbsent(rareOf(value), numbers.size());
            if (count >= RARE) {
                numbers.put(value, numbers.size());
            }
        });
        return numbers;
    }

    private static String rareOf(String value) {
        return value.substring(0, value.indexOf('=')) + " is rare";
    }

    /**
     * How many rows there are to train on: the first ones.
     *
     * @return fewer than {@link #size()}
     */
    public int trained() {
        return trained;
    }

    /**
     * How many rows there are, including rows that are held out for the test.
     *
     * @return the number of rows
     */
    public int size() {
        return damaged.length;
    }

    /** How many features there are. */
    int featureCount() {
        return featureCount;
    }

    /** The numbers of the features that a row has, each from 0 to below {@link #featureCount()}; not to be changed. */
    int[] features(int row) {
        return features.get(row);
    }

    /** The answer. */
    boolean damaged(int row) {
        return damaged[row];
    }
}
