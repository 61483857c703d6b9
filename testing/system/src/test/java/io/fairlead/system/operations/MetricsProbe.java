package io.fairlead.system.operations;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoublePredicate;

/** Reads the metrics of a process, as often as needed until they are what a test waits for. */
record MetricsProbe(String address, HttpClient http) implements AutoCloseable {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(90);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Duration ANSWER = Duration.ofSeconds(60);

    MetricsProbe(String address) {
        this(address, HttpClient.newHttpClient());
    }

    String scrape() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + "/metrics"))
                .timeout(ANSWER)
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    /** Waits until a series has a value above zero, and returns that. */
    double awaitPositive(String series) throws IOException, InterruptedException {
        return await(series, value -> value > 0);
    }

    void awaitZero(String series) throws IOException, InterruptedException {
        double _ = await(series, value -> value == 0);
    }

    private double await(String series, DoublePredicate wanted) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + DEADLINE_NS;
        while (true) {
            String text = scrape();
            double value = value(text, series);
            if (wanted.test(value)) {
                return value;
            }
            if (System.nanoTime() - deadline > 0) {
                fail(series + " stays " + value + " in\n" + text);
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** The value of a series as it is written, labels and all. */
    double value(String text, String series) {
        Optional<String> line = text.lines()
                .filter(candidate -> candidate.startsWith(series + " "))
                .findFirst();
        return Double.parseDouble(line.orElseGet(() -> fail("no series " + series + " in\n" + text))
                .substring(series.length() + 1));
    }

    /** The sum over the series of a meter. */
    static double sum(String text, String name) {
        return text.lines()
                .filter(line -> line.startsWith(name + "{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void close() {
        http.close();
    }
}
