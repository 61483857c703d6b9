package io.fairlead.cli.measure;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The rounds of one figure: the middle one, the least and the greatest.
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

    /** Over one figure of all rounds. */
    public static <T> Spread of(List<T> rounds, ToDoubleFunction<T> figure) {
        return of(rounds.stream().map(figure::applyAsDouble).toList());
    }

    /** The median of one figure. */
    public static <T> double median(List<T> rounds, ToDoubleFunction<T> figure) {
        return of(rounds, figure).median();
    }

    /** One contestant's figure over another's, round by round. */
    public static <T> Spread ratio(List<T> ones, List<T> others, ToDoubleFunction<T> figure) {
        return of(ratios(ones, others, figure));
    }

    /** The ratios themselves, of as many rounds as both have. */
    public static <T> List<Double> ratios(List<T> ones, List<T> others, ToDoubleFunction<T> figure) {
        return IntStream.range(0, Math.min(ones.size(), others.size()))
                .mapToObj(i -> figure.applyAsDouble(ones.get(i)) / figure.applyAsDouble(others.get(i)))
                .toList();
    }
}
