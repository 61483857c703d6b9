package io.fairlead.cli.top;

import java.util.Map;

/**
 * One sample of a scrape.
 *
 * @param name of the series, suffix and all
 * @param labels its labels
 * @param value its value
 */
record Sample(String name, Map<String, String> labels, double value) {
    Sample {
        labels = Map.copyOf(labels);
    }

    /** The value of a label; empty if there is none, as Prometheus has it. */
    String label(String key) {
        return labels.getOrDefault(key, "");
    }
}
