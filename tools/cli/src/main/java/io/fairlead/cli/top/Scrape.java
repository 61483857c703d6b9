package io.fairlead.cli.top;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a process answered at some time. Immutable. */
final class Scrape {
    private static final double SECOND_NS = 1e9;

    private final long timeNs;
    private final Map<String, List<Sample>> byName;

    Scrape(long timeNs, Collection<Sample> samples) {
        this.timeNs = timeNs;
        byName = samples.stream().collect(Collectors.groupingBy(Sample::name));
    }

    /** Whether it comes from a process of Fairlead's. */
    boolean isFairlead() {
        return byName.keySet().stream().anyMatch(name -> name.startsWith("fairlead_"));
    }

    double secondsSince(Scrape earlier) {
        return (timeNs - earlier.timeNs) / SECOND_NS;
    }

    Stream<Sample> samples(String name) {
        return byName.getOrDefault(name, List.of()).stream();
    }

    /** The sum of a meter over its series; 0 if there is none. */
    double sum(String name) {
        return sum(name, _ -> true);
    }

    /** The sum of a meter over the selected series. */
    double sum(String name, Predicate<Sample> which) {
        return samples(name).filter(which).mapToDouble(Sample::value).sum();
    }

    /** How much a counter has grown since an earlier scrape; one that is less than it was began anew with its process. */
    double grown(Scrape earlier, String name, Predicate<Sample> which) {
        double before = earlier.sum(name, which);
        double now = sum(name, which);
        return now < before ? now : now - before;
    }

    /** The values that a label has. */
    Set<String> labels(String name, String key) {
        return samples(name).map(sample -> sample.label(key)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** What was counted in a histogram since an earlier scrape: up to each bound, how many. */
    NavigableMap<Double, Double> buckets(Scrape earlier, String name, Predicate<Sample> which) {
        NavigableMap<Double, Double> now = buckets(name, which);
        NavigableMap<Double, Double> before = earlier.buckets(name, which);
        if (!before.isEmpty()
                && !now.isEmpty()
                && before.lastEntry().getValue() <= now.lastEntry().getValue()) {
            before.forEach((bound, count) -> now.merge(bound, -count, Double::sum));
        }
        return now;
    }

    private NavigableMap<Double, Double> buckets(String name, Predicate<Sample> which) {
        NavigableMap<Double, Double> counts = new TreeMap<>();
        samples(name + "_bucket")
                .filter(which)
                .forEach(sample -> counts.merge(bound(sample.label("le")), sample.value(), Double::sum));
        return counts;
    }

    private static double bound(String text) {
        return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }
}
