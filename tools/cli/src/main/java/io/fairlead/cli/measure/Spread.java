package io.fairlead.cli.measure;

import java.util.List;

/**
 * What the rounds of one figure come to.
 *
 * @param median the middle one
 * @param least the least
 * @param greatest the greatest
 */
public record Spread(double median, double least, double greatest) {
    /** Over at least one round. */
    public static Spread of(List<Double> figures) {
        List<Double> sorted = figures.stream().sorted().toList();
        return new Spread(sorted.get(sorted.size() / 2), sorted.getFirst(), sorted.getLast());
    }
}
