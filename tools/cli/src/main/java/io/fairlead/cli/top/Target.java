package io.fairlead.cli.top;

import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.internal.names.ShownText;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.UnresolvedAddressException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process that serves metrics. Thread-safe.
 *
 * @param address where
 * @param client what to ask it with
 * @param limitNs how long an answer may take as a whole, in nanoseconds
 */
record Target(Address address, ScrapeClient client, long limitNs) {
    private static final double SECOND_NS = 1e9;
    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;
    /** A process of Fairlead's answers with some tens of kilobytes. */
    private static final long ANSWER_MAX = 16 << 20;

    /**
     * Asks for the metrics.
     *
     * @throws CommandFailure if there are none, with the reason and what to do
     */
    Scrape scrape() throws InterruptedException {
        CompletableFuture<HttpResponse<String>> answer;
        try {
            answer = client.get(
                    URI.create("http://" + address + "/metrics"),
                    BodyHandlers.limiting(BodyHandlers.ofString(), ANSWER_MAX));
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(
                    "not a host's name: host=" + address.host() + "; check its spelling, or name it by its address");
        }
        try {
            return read(answer.get(limitNs, TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            throw CommandFailure.failed("no answer in time: address=" + address + ", --timeout=" + limitNs / SECOND_NS
                    + " s; see whether that process stands still, and whether it serves metrics there");
        } catch (ExecutionException e) {
            throw failure(Objects.requireNonNull(e.getCause()));
        } finally {
            answer.cancel(true);
        }
    }

    private Scrape read(HttpResponse<String> answer) {
        if (answer.statusCode() == UNAUTHORIZED) {
            throw CommandFailure.failed("metrics refused without a token: address=" + address
                    + "; name the file of the process's metrics.token-file with --token-file");
        }
        if (answer.statusCode() != OK) {
            throw CommandFailure.failed("metrics refused: address=" + address + ", status=" + answer.statusCode()
                    + answer.body()
                            .lines()
                            .findFirst()
                            .map(line -> ", answer: " + ShownText.of(line))
                            .orElse("")
                    + "; name the port of a process with --metrics-port");
        }
        Scrape scrape;
        try {
            scrape = new Scrape(System.nanoTime(), TextFormat.parse(answer.body()));
        } catch (TextFormat.FormatException e) {
            throw CommandFailure.failed("no Prometheus text: address=" + address + ", "
                    + ShownText.line(String.valueOf(e.getMessage()))
                    + "; name the port of a process with --metrics-port");
        }
        if (!scrape.isFairlead()) {
            throw CommandFailure.failed("no metrics of Fairlead's: address=" + address
                    + "; name the port of a process with --metrics-port");
        }
        return scrape;
    }

    private static boolean isUnresolved(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof UnresolvedAddressException) {
                return true;
            }
        }
        return false;
    }

    private CommandFailure failure(Throwable cause) {
        if (cause instanceof ConnectException && isUnresolved(cause)) {
            return CommandFailure.failed("host does not resolve: host=" + address.host()
                    + "; check its spelling, or name it by its address");
        }
        if (cause instanceof ConnectException) {
            return CommandFailure.failed("nothing serves metrics: address=" + address
                    + "; start the process with --metrics-port, such as fairlead demo --metrics-port 9464");
        }
        if (cause instanceof IOException) {
            return CommandFailure.failed("no answer in HTTP: address=" + address + ", cause: "
                    + ShownText.of(String.valueOf(cause.getMessage()))
                    + "; name the port of a process with --metrics-port, and one that serves without metrics.tls");
        }
        throw new IllegalStateException("scrape failed: address=" + address, cause);
    }
}
