package io.fairlead.cli.top;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A frame in words and columns. */
final class TopText {
    private static final double MEGABYTE = 1e6;
    private static final double PERCENT = 100;
    /** Columns of words; those after them are numbers, which stand below each other by their last digit. */
    private final int words;

    private final List<List<String>> rows = new ArrayList<>();

    private TopText(int words, String... headings) {
        this.words = words;
        rows.add(List.of(headings));
    }

    /** The lines of a frame, without what is empty in it. */
    static List<String> lines(Frame frame) {
        List<String> lines = new ArrayList<>();
        TopText processes = new TopText(
                1,
                "PROCESS",
                "endpoints",
                "in flight",
                "receives",
                "waiting",
                "credits",
                "held up",
                "idle",
                "gap ms",
                "stall ms");
        TopText topics = new TopText(
                1,
                "TOPICS",
                "published/s",
                "delivered/s",
                "missed/s",
                "subscribers",
                "subscriptions",
                "lag",
                "greatest lag");
        TopText paths = new TopText(4, "PATHS", "transport", "path", "reason", "endpoints");
        TopText operations = new TopText(3, "OPERATIONS", "transport", "operation", "/s", "MB/s", "p50 us", "p99 us");
        TopText requests = new TopText(3, "REQUESTS", "service", "side", "ok/s", "failed/s", "p50 us", "p99 us");
        TopText others = new TopText(3, "NOT CONNECTED", "transport", "state", "endpoints");
        TopText switches = new TopText(1, "FAILOVER", "went on", "failed", "MB replayed");
        TopText failures = new TopText(2, "FAILED PEERS", "cause", "endpoints");
        List<String> errors = new ArrayList<>();
        for (Frame.Row row : frame.processes()) {
            row.error().ifPresent(errors::add);
            row.figures().ifPresent(figures -> {
                String name = row.address();
                processes.process(name, figures);
                topics.topics(name, figures.pubsub());
                figures.paths()
                        .forEach(path ->
                                paths.add(name, path.transport(), path.path(), path.reason(), count(path.endpoints())));
                figures.operations().forEach(operation -> operations.operation(name, operation));
                figures.requests().forEach(service -> requests.requests(name, service));
                figures.endpoints().stream()
                        .filter(endpoints -> !endpoints.state().equals("connected"))
                        .forEach(endpoints ->
                                others.add(name, endpoints.transport(), endpoints.state(), count(endpoints.count())));
                switches.switches(name, figures.switches());
                figures.peerFailures().forEach(failure -> failures.add(name, failure.cause(), count(failure.count())));
            });
        }
        List.of(processes, requests, topics, paths, operations, switches, others, failures)
                .forEach(table -> table.appendTo(lines));
        lines.addAll(errors);
        return lines;
    }

    private void process(String name, Frame.Figures figures) {
        Frame.Queues queues = figures.queues();
        Frame.Progress progress = figures.progress();
        long connected = figures.endpoints().stream()
                .filter(endpoints -> endpoints.state().equals("connected"))
                .mapToLong(Frame.Endpoints::count)
                .sum();
        add(
                name,
                count(connected),
                count(queues.inFlight()),
                count(queues.receivesPosted()),
                count(queues.messagesWaiting()),
                share(queues.creditsUsed()),
                share(queues.heldUp()),
                share(progress.idleShare()),
                number(progress.longestGapMs()),
                number(progress.stallMs()));
    }

    private void topics(String name, Frame.PubSub figures) {
        if (figures.published() + figures.delivered() + figures.subscribers() + figures.subscriptions() > 0) {
            add(
                    name,
                    number(figures.publishedPerSecond()),
                    number(figures.deliveredPerSecond()),
                    number(figures.missedPerSecond()),
                    count(figures.subscribers()),
                    count(figures.subscriptions()),
                    count(figures.lag()),
                    count(figures.lagMax()));
        }
    }

    private void switches(String name, Frame.Switches figures) {
        if (figures.wentOn() + figures.failed() > 0) {
            add(name, count(figures.wentOn()), count(figures.failed()), number(figures.replayedBytes() / MEGABYTE));
        }
    }

    private void operation(String name, Frame.Operation figures) {
        add(
                name,
                figures.transport(),
                figures.operation(),
                number(figures.perSecond()),
                number(figures.bytesPerSecond() / MEGABYTE),
                time(figures.p50Us()),
                time(figures.p99Us()));
    }

    private void requests(String name, Frame.Requests figures) {
        add(
                name,
                figures.service(),
                figures.side(),
                number(figures.okPerSecond()),
                number(figures.failedPerSecond()),
                time(figures.p50Us()),
                time(figures.p99Us()));
    }

    private void add(String... cells) {
        rows.add(List.of(cells));
    }

    private void appendTo(List<String> lines) {
        if (rows.size() == 1) {
            return;
        }
        if (!lines.isEmpty()) {
            lines.add("");
        }
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String filling = " ".repeat(widths[i] - row.get(i).length());
                line.append(i == 0 ? "" : "  ").append(i < words ? row.get(i) + filling : filling + row.get(i));
            }
            lines.add(line.toString().stripTrailing());
        }
    }

    private static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.1f", value);
    }

    private static String share(double value) {
        return String.format(Locale.ROOT, "%.0f %%", value * PERCENT);
    }

    /** A dash where nothing was timed. */
    private static String time(Optional<Double> value) {
        return value.map(TopText::number).orElse("-");
    }
}
