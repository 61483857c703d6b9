package io.fairlead.metrics;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Prometheus' text format, read back. */
final class Exposition {
    private static final Pattern SERIES = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\",?");

    record Sample(String name, Map<String, String> labels, double value) {}

    final Map<String, String> types = new LinkedHashMap<>();
    final Map<String, String> helps = new LinkedHashMap<>();
    final List<Sample> samples = new ArrayList<>();

    static Exposition of(PrometheusMeterRegistry registry) {
        return new Exposition(registry.scrape());
    }

    Exposition(String text) {
        for (String line : text.lines().toList()) {
            if (line.startsWith("# TYPE ")) {
                String[] parts = line.split(" ", 4);
                types.put(parts[2], parts[3]);
            } else if (line.startsWith("# HELP ")) {
                String[] parts = line.split(" ", 4);
                helps.put(parts[2], parts[3]);
            } else if (!line.startsWith("#") && !line.isBlank()) {
                samples.add(sample(line));
            }
        }
    }

    private static Sample sample(String line) {
        Matcher series = SERIES.matcher(line);
        if (!series.matches()) {
            throw new AssertionError("not a sample: " + line);
        }
        Map<String, String> labels = new LinkedHashMap<>();
        if (series.group(2) != null) {
            Matcher label = LABEL.matcher(series.group(2));
            while (label.find()) {
                labels.put(label.group(1), label.group(2));
            }
        }
        return new Sample(series.group(1), labels, Double.parseDouble(series.group(3)));
    }

    /** The value of the one sample with that name and at least these labels. */
    double value(String name, String... labels) {
        List<Sample> found = samples.stream()
                .filter(sample -> sample.name().equals(name) && has(sample, labels))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError(name + " has " + found.size() + " samples: " + found);
        }
        return found.getFirst().value();
    }

    OptionalDouble sum(String name, String... labels) {
        List<Sample> found = samples.stream()
                .filter(sample -> sample.name().equals(name) && has(sample, labels))
                .toList();
        return found.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(found.stream().mapToDouble(Sample::value).sum());
    }

    private static boolean has(Sample sample, String... labels) {
        for (int i = 0; i < labels.length; i += 2) {
            if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
                return false;
            }
        }
        return true;
    }
}
