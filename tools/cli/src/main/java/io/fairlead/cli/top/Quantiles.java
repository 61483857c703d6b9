package io.fairlead.cli.top;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;

/** Quantiles of histograms with bounds, as Prometheus' {@code histogram_quantile} takes them. */
final class Quantiles {
    private Quantiles() {}

    /**
     * The value that this share of the counted ones does not exceed, supposed to be spread evenly within a bucket.
     *
     * @param share 0 to 1
     * @param upTo for each bound how many values do not exceed it; the last bound is infinite
     * @return empty if nothing was counted; the last finite bound for values beyond that
     */
    static Optional<Double> of(double share, NavigableMap<Double, Double> upTo) {
        double total = upTo.isEmpty() ? 0 : upTo.lastEntry().getValue();
        if (!(total > 0)) {
            return Optional.empty();
        }
        double rank = share * total;
        double lowerBound = 0;
        double lowerCount = 0;
        for (Map.Entry<Double, Double> bucket : upTo.entrySet()) {
            double bound = bucket.getKey();
            double count = bucket.getValue();
            if (count >= rank && count > lowerCount) {
                return Optional.of(
                        Double.isInfinite(bound)
                                ? lowerBound
                                : lowerBound + (bound - lowerBound) * (rank - lowerCount) / (count - lowerCount));
            }
            lowerBound = Double.isInfinite(bound) ? lowerBound : bound;
            lowerCount = count;
        }
        return Optional.of(lowerBound);
    }
}
