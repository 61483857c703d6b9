package io.fairlead.build.drawing;

import io.fairlead.build.drawing.Graph.Arrow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where each node of a graph goes: a row, an order in it in which few lines cross, and a place from left to right at which they are straight
 * where they can be. All lines to one node that pass a row pass it at one spot.
 */
final class FloorPlan {
    private static final int SWEEPS = 40;
    /** A row of boxes is at most this wide; a floor with more takes several rows. */
    private static final int ROW_WIDTH = 1100;

    private static final int GAP = 18;
    private static final int PASS_WIDTH = 4;
    private static final int PASS_GAP = 8;

    /** A node, or where the lines to a node pass a row. */
    static final class Spot {
        final int node;
        final boolean passes;
        final int row;
        final int width;
        final List<Spot> above = new ArrayList<>();
        final List<Spot> below = new ArrayList<>();
        /** Of its middle. */
        double x;

        Spot(int node, boolean passes, int row, int width) {
            this.node = node;
            this.passes = passes;
            this.row = row;
            this.width = width;
        }
    }

    private final List<List<Spot>> rows = new ArrayList<>();
    private final Map<Integer, Spot> spots = new TreeMap<>();

    FloorPlan(Graph graph, int[] widths) {
        chooseRows(graph, widths);
        Map<Long, Spot> passing = new HashMap<>();
        for (Arrow arrow : graph.down()) {
            connect(arrow, passing);
        }
        order();
        place();
    }

    /** Each node goes above all that it uses, as low as there is room. */
    private void chooseRows(Graph graph, int[] widths) {
        List<Integer> lowestFirst = new ArrayList<>();
        for (int node = 0; node < widths.length; node++) {
            lowestFirst.add(node);
        }
        lowestFirst.sort(Comparator.comparingInt(graph::floor));
        for (int node : lowestFirst) {
            int row = 0;
            for (Arrow arrow : graph.downFrom(node)) {
                row = Math.max(row, spots.get(arrow.to()).row + 1);
            }
            while (row < rows.size() && widthOf(rows.get(row)) + widths[node] > ROW_WIDTH) {
                row++;
            }
            while (rows.size() <= row) {
                rows.add(new ArrayList<>());
            }
            spots.put(node, add(new Spot(node, false, row, widths[node])));
        }
    }

    private static int widthOf(List<Spot> row) {
        return row.stream().mapToInt(spot -> spot.width + GAP).sum();
    }

    private Spot add(Spot spot) {
        rows.get(spot.row).add(spot);
        return spot;
    }

    private void connect(Arrow arrow, Map<Long, Spot> passing) {
        Spot upper = spots.get(arrow.from());
        int target = arrow.to();
        for (int row = upper.row - 1; row > spots.get(target).row; row--) {
            long key = (long) target << Integer.SIZE | row;
            Spot pass = passing.get(key);
            if (pass != null) {
                join(upper, pass);
                return;
            }
            pass = add(new Spot(target, true, row, PASS_WIDTH));
            passing.put(key, pass);
            join(upper, pass);
            upper = pass;
        }
        join(upper, spots.get(target));
    }

    private static void join(Spot upper, Spot lower) {
        upper.below.add(lower);
        lower.above.add(upper);
    }

    /** From the lowest row, each from left to right. */
    List<List<Spot>> rows() {
        return rows;
    }

    Spot spot(int node) {
        return spots.get(node);
    }

    private void order() {
        List<List<Spot>> best = copy();
        long fewest = crossings();
        for (int sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
            boolean upwards = sweep % 2 == 0;
            for (int i = 1; i < rows.size(); i++) {
                sort(upwards ? i : rows.size() - 1 - i, upwards);
            }
            long found = crossings();
            if (found < fewest) {
                fewest = found;
                best = copy();
            }
        }
        for (int row = 0; row < rows.size(); row++) {
            rows.set(row, best.get(row));
        }
    }

    private List<List<Spot>> copy() {
        List<List<Spot>> copy = new ArrayList<>();
        rows.forEach(row -> copy.add(new ArrayList<>(row)));
        return copy;
    }

    /** Sorts a row by the middle of what is joined to it on the row that was sorted before. */
    private void sort(int row, boolean upwards) {
        Map<Spot, Integer> places = places(rows.get(upwards ? row - 1 : row + 1));
        List<Spot> sorted = rows.get(row);
        Map<Spot, Double> middles = new HashMap<>();
        for (int i = 0; i < sorted.size(); i++) {
            Spot spot = sorted.get(i);
            List<Spot> joined = upwards ? spot.below : spot.above;
            middles.put(spot, joined.stream().mapToInt(places::get).average().orElse(i));
        }
        sorted.sort(Comparator.comparingDouble(middles::get));
    }

    private static Map<Spot, Integer> places(List<Spot> row) {
        Map<Spot, Integer> places = new HashMap<>();
        for (Spot spot : row) {
            places.put(spot, places.size());
        }
        return places;
    }

    private long crossings() {
        long crossings = 0;
        for (int row = 1; row < rows.size(); row++) {
            Map<Spot, Integer> places = places(rows.get(row - 1));
            List<Integer> ends = new ArrayList<>();
            for (Spot upper : rows.get(row)) {
                int before = ends.size();
                for (Spot lower : upper.below) {
                    int end = places.get(lower);
                    crossings += ends.subList(0, before).stream()
                            .filter(other -> other > end)
                            .count();
                    ends.add(end);
                }
            }
        }
        return crossings;
    }

    private void place() {
        for (List<Spot> row : rows) {
            double x = 0;
            for (Spot spot : row) {
                spot.x = x + spot.width / 2.0;
                x += spot.width + GAP;
            }
        }
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            boolean upwards = sweep % 2 == 0;
            for (int i = 0; i < rows.size(); i++) {
                settle(rows.get(upwards ? i : rows.size() - 1 - i));
            }
        }
        double least = rows.stream()
                .flatMap(List::stream)
                .mapToDouble(spot -> spot.x - spot.width / 2.0)
                .min()
                .orElse(0);
        rows.stream().flatMap(List::stream).forEach(spot -> spot.x -= least);
    }

    /**
     * Puts each spot of a row as near as can be to the middle of what it is joined to, in the order that they have: where two would overlap
     * they move together, as one block, to the middle of what they want.
     */
    private static void settle(List<Spot> row) {
        int count = row.size();
        double[] from = new double[count];
        double[] sum = new double[count];
        int[] first = new int[count];
        double distance = 0;
        int blocks = 0;
        for (int i = 0; i < count; i++) {
            Spot spot = row.get(i);
            if (i > 0) {
                distance += apart(row.get(i - 1), spot);
            }
            from[i] = distance;
            first[blocks] = i;
            sum[blocks] = wanted(spot) - distance;
            blocks++;
            while (blocks > 1
                    && sum[blocks - 2] / (first[blocks - 1] - first[blocks - 2])
                            > sum[blocks - 1] / (i + 1 - first[blocks - 1])) {
                sum[blocks - 2] += sum[blocks - 1];
                blocks--;
            }
        }
        for (int block = 0; block < blocks; block++) {
            int end = block + 1 < blocks ? first[block + 1] : count;
            for (int i = first[block]; i < end; i++) {
                row.get(i).x = sum[block] / (end - first[block]) + from[i];
            }
        }
    }

    private static double wanted(Spot spot) {
        // A line that only passes is straight if it can: the eye follows it.
        double sum = 0;
        double weight = 0;
        for (List<Spot> side : List.of(spot.above, spot.below)) {
            for (Spot joined : side) {
                double pull = spot.passes && (joined.passes || joined.node == spot.node) ? 4 : 1;
                sum += joined.x * pull;
                weight += pull;
            }
        }
        return weight == 0 ? spot.x : sum / weight;
    }

    private static double apart(Spot left, Spot right) {
        int gap = left.passes && right.passes ? PASS_GAP : GAP;
        return (left.width + right.width) / 2.0 + gap;
    }
}
