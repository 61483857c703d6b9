package io.fairlead.cli.top;

import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.Seconds;
import io.fairlead.cli.process.StopSignal;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;
import tools.jackson.databind.json.JsonMapper;

/** Shows what processes do, from their metrics, again and again. */
@Command(
        name = "top",
        description =
                "Show what processes do: endpoints with path and reason, rates, latencies, queues, credits and lag,"
                        + " read from the metrics that they serve with --metrics-port. Ends with Ctrl-C.")
public final class TopCommand implements Callable<Integer> {
    /** Where {@code fairlead demo --metrics-port 9464} serves. */
    private static final List<Address> DEMO =
            List.of(Address.parse("9464"), Address.parse("9465"), Address.parse("9466"), Address.parse("9467"));

    private static final double SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    @Parameters(
            paramLabel = "HOST:PORT",
            description = "Where processes serve metrics (default: those of fairlead demo --metrics-port 9464 that"
                    + " answer).")
    private List<String> addresses = List.of();

    @Option(
            names = {"-i", "--interval"},
            converter = Seconds.class,
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "Time between two looks, over which rates are taken (default: ${DEFAULT-VALUE}).")
    private double interval;

    @Option(
            names = "--timeout",
            converter = Seconds.class,
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "How long a process may take to answer (default: ${DEFAULT-VALUE}).")
    private double timeout;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "The file with the token that the processes ask for: their metrics.token-file.")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(names = "--once", description = "Print one frame, after one interval, and end.")
    private boolean once;

    @Option(names = "--json", description = "Print each frame as one line of JSON.")
    private boolean json;

    private final Map<Target, Scrape> latest = new LinkedHashMap<>();

    @Override
    public Integer call() throws InterruptedException {
        try (StopSignal stop = StopSignal.install()) {
            // A process that does not answer must not keep the command from leaving the terminal as it was.
            Thread thread = Thread.currentThread();
            stop.onRequest(thread::interrupt);
            try {
                return watch(stop);
            } catch (InterruptedException interrupted) {
                if (!stop.requested()) {
                    throw interrupted;
                }
                return 0;
            }
        }
    }

    private int watch(StopSignal stop) throws InterruptedException {
        ScrapeClient client = ScrapeClient.open(tokenFile);
        try (Screen screen = json ? Screen.ofLines() : Screen.ofFrames()) {
            firstLook(client);
            while (!stop.requested()) {
                stop.await((long) (interval * SECOND_NS));
                if (!stop.requested()) {
                    show(look(), screen);
                }
                if (once || screen.closed()) {
                    break;
                }
            }
            return 0;
        } finally {
            // What is still under way need not be waited for.
            client.shutdownNow();
        }
    }

    /** Not by picocli, which takes the first of a list that cannot be converted for an argument too many. */
    private static Address address(String text) {
        try {
            return Address.parse(text);
        } catch (TypeConversionException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }

    /** All named processes must answer; without names, at least one must. */
    private void firstLook(ScrapeClient client) throws InterruptedException {
        List<Address> asked = addresses.isEmpty()
                ? DEMO
                : addresses.stream().map(TopCommand::address).toList();
        Optional<CommandFailure> failure = Optional.empty();
        for (Address address : asked) {
            Target target = new Target(address, client, (long) (timeout * SECOND_NS));
            try {
                latest.put(target, target.scrape());
            } catch (CommandFailure e) {
                failure = failure.or(() -> Optional.of(e));
            }
        }
        if (failure.isPresent() && (latest.isEmpty() || !addresses.isEmpty())) {
            throw failure.get();
        }
    }

    /** Processes that have gone are shown as failed, until none is left. */
    private Frame look() throws InterruptedException {
        List<Frame.Row> rows = new ArrayList<>();
        Optional<CommandFailure> failure = Optional.empty();
        for (Target target : List.copyOf(latest.keySet())) {
            String name = target.address().toString();
            try {
                Scrape now = target.scrape();
                Scrape before = latest.put(target, now);
                rows.add(Frame.Row.of(name, new Reading(before == null ? now : before, now).figures()));
            } catch (CommandFailure e) {
                failure = failure.or(() -> Optional.of(e));
                rows.add(Frame.Row.failed(name, String.valueOf(e.getMessage())));
            }
        }
        if (failure.isPresent()
                && (once || rows.stream().allMatch(row -> row.figures().isEmpty()))) {
            throw failure.get();
        }
        return new Frame(rows);
    }

    private void show(Frame frame, Screen screen) {
        if (json) {
            screen.show(List.of(JsonMapper.shared().writeValueAsString(frame)));
            return;
        }
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "fairlead top  %s  processes: %d, every %.1f s",
                LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS),
                frame.processes().size(),
                interval));
        lines.add("");
        lines.addAll(TopText.lines(frame));
        screen.show(lines);
    }
}
