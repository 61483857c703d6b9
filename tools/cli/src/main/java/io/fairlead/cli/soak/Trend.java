package io.fairlead.cli.soak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Whether something grows. The first third of the samples is the warm-up: caches fill, and classes are loaded. Of the others the median of all slopes
 * between two samples counts (Theil and Sen), so that neither a peak nor the last sample decides.
 */
final class Trend {
    /** Fewer tell nothing. */
    private static final int SAMPLES_MIN = 6;
    /** Of more, every second one is forgotten. */
    private static final int SAMPLES_MAX = 512;

    private final List<double[]> samples = new ArrayList<>();
    private int every = 1;
    private int added;

    void add(double seconds, long amount) {
        if (added++ % every != 0) {
            return;
        }
        samples.add(new double[] {seconds, amount});
        if (samples.size() == SAMPLES_MAX) {
            for (int i = samples.size() - 1; i > 0; i -= 2) {
                samples.remove(i);
            }
            every *= 2;
        }
    }

    long first() {
        return samples.isEmpty() ? 0 : (long) samples.getFirst()[1];
    }

    long last() {
        return samples.isEmpty() ? 0 : (long) samples.getLast()[1];
    }

    /** The growth from the end of the warm-up to the last sample, by the slope; 0 with too few samples. */
    long growth() {
        List<double[]> later = samples.subList(samples.size() / 3, samples.size());
        if (later.size() < SAMPLES_MIN) {
            return 0;
        }
        double[] slopes = new double[later.size() * (later.size() - 1) / 2];
        int count = 0;
        for (int from = 0; from < later.size(); from++) {
            for (int to = from + 1; to < later.size(); to++) {
                slopes[count++] = (later.get(to)[1] - later.get(from)[1]) / (later.get(to)[0] - later.get(from)[0]);
            }
        }
        Arrays.sort(slopes);
        return Math.round(slopes[slopes.length / 2] * (later.getLast()[0] - later.getFirst()[0]));
    }
}
