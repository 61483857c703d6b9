package io.fairlead.cli.demo;

import io.fairlead.FairleadException;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.process.ChildEvent;
import io.fairlead.cli.process.ChildProcess;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.samples.data.DataSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Runs the processes of the demo to their end, whatever that is, and judges the result. */
final class DemoRun implements AutoCloseable {
    private static final String PUBLISHER = "publisher";
    private static final String FAILURE_PREFIX = "fairlead: ";
    private static final long START_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    /** What joining, draining and closing may take together, on a machine with other things to do. */
    private static final long OVERTIME_NS = TimeUnit.SECONDS.toNanos(120);

    private static final long SHOW_INTERVAL_MS = 250;
    /** Four processes on two processors have compiled what they use by then. */
    private static final double WARM_UP_SECONDS_MAX = 5;

    private final BlockingQueue<ChildEvent> events = new LinkedBlockingQueue<>();
    private final Map<String, ChildProcess> running = new LinkedHashMap<>();
    private final Map<String, SubscriberRun> subscribers = new LinkedHashMap<>();
    private final Set<String> done = new HashSet<>();
    private final StatusView view = StatusView.onStderr();
    private final StopSignal stop;
    /** The options of a process. */
    private final Configuration configuration;

    private final boolean lingering;
    private final BiConsumer<String, Address> metricsFound;
    /** What subscribers connect through, if there is anything. */
    private final Optional<ResettingRelay> relay;

    private int port;
    private double warmUpSeconds;
    private long sentSoFar;
    private OptionalLong sent = OptionalLong.empty();
    private Optional<String> publisherError = Optional.empty();
    /** A process has refused what the command line or the configuration says. */
    private boolean misused;

    private long shownNs = System.nanoTime();

    /** What the processes of a run are configured with. */
    @FunctionalInterface
    interface Configuration {
        /**
         * The options of a process.
         *
         * @param number counts the processes from 0
         * @param name of the process
         */
        List<String> arguments(int number, String name);
    }

    /** As below, without a relay. */
    DemoRun(StopSignal stop, Configuration configuration, boolean lingering, BiConsumer<String, Address> metricsFound) {
        this(stop, configuration, lingering, metricsFound, Optional.empty());
    }

    /** Lingering processes are at the end of a run when they have reported their results; closing this ends them. */
    DemoRun(
            StopSignal stop,
            Configuration configuration,
            boolean lingering,
            BiConsumer<String, Address> metricsFound,
            Optional<ResettingRelay> relay) {
        this.relay = relay;
        this.stop = stop;
        this.metricsFound = metricsFound;
        this.configuration = configuration;
        this.lingering = lingering;
    }

    DemoReport run(double seconds, double rate, int listenPort) throws InterruptedException {
        DataSet rows = DataSet.load();
        start(PUBLISHER, "demo-publisher", "--port=" + listenPort, "--rate=" + rate, "--seconds=" + seconds);
        awaitPort();
        relay.ifPresent(network -> port = network.open(port));
        view.print("publishing " + rows.size() + " " + DataSet.DESCRIPTION + ", over and over, for " + seconds + " s");
        subscribe("127.0.0.1", seconds);
        return judge(rows);
    }

    /** Runs the subscribers alone, whose publisher is another command's; what that has sent is asked for when they have ended. */
    DemoReport run(double seconds, Address publisher, LongSupplier published) throws InterruptedException {
        port = publisher.port();
        subscribe(publisher.host(), seconds);
        try {
            sentSoFar = published.getAsLong();
            sent = OptionalLong.of(sentSoFar);
        } catch (CommandFailure | FairleadException unknown) {
            fail(PUBLISHER, String.valueOf(unknown.getMessage()));
        }
        return judge(DataSet.load());
    }

    private void subscribe(String host, double seconds) throws InterruptedException {
        warmUpSeconds = Math.min(WARM_UP_SECONDS_MAX, seconds / 2);
        for (Role role : Role.values()) {
            subscribers.put(role.label(), new SubscriberRun(role.label()));
            start(
                    role.label(),
                    "demo-subscriber",
                    "--role=" + role,
                    "--connect=" + new Address(host, port),
                    "--warm-up=" + warmUpSeconds);
        }
        view.print("processes: "
                + running.values().stream()
                        .map(child -> child.name() + " " + child.pid())
                        .collect(Collectors.joining(", ")));
        long deadline = System.nanoTime() + OVERTIME_NS + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        while (goesOn(deadline)) {
            handleNext();
            show();
        }
        view.clear();
        if (stop.requested()) {
            throw CommandFailure.failed("demo was stopped before its end; run it again for a result");
        }
        running.keySet().stream()
                .filter(name -> !(lingering && done.contains(name)))
                .forEach(name -> fail(name, "did not end in time"));
    }

    private void awaitPort() throws InterruptedException {
        long deadline = System.nanoTime() + START_TIMEOUT_NS;
        while (port == 0 && goesOn(deadline)) {
            handleNext();
        }
        if (port == 0) {
            String cause = publisherError.orElse("publisher did not start in time; run the demo again");
            throw misused ? CommandFailure.usage(cause) : CommandFailure.failed(cause);
        }
    }

    private void start(String name, String... command) {
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(configuration.arguments(running.size(), name));
        running.put(name, ChildProcess.start(name, arguments, events));
    }

    private boolean goesOn(long deadlineNs) {
        boolean over = lingering ? done.containsAll(running.keySet()) : running.isEmpty();
        return !over && !stop.requested() && System.nanoTime() - deadlineNs < 0;
    }

    private void handleNext() throws InterruptedException {
        ChildEvent event = events.poll(SHOW_INTERVAL_MS, TimeUnit.MILLISECONDS);
        switch (event) {
            case null -> {}
            case ChildEvent.Said said ->
                DemoEvent.parse(said.line())
                        .ifPresent(news -> accept(said.child().name(), news));
            case ChildEvent.Complained complaint -> complain(complaint);
            case ChildEvent.Ended end -> end(end);
        }
    }

    private void accept(String name, DemoEvent event) {
        if (event instanceof DemoEvent.Published || event instanceof DemoEvent.Received) {
            done.add(name);
        }
        SubscriberRun subscriber = subscribers.get(name);
        if (subscriber != null) {
            subscriber.accept(event);
            if (subscribers.size() == Role.values().length
                    && subscribers.values().stream().noneMatch(SubscriberRun::isConnecting)) {
                relay.ifPresent(ResettingRelay::begin);
            }
            return;
        }
        switch (event) {
            case DemoEvent.Listening listening -> port = listening.port();
            case DemoEvent.Progress progress -> sentSoFar = progress.messages();
            case DemoEvent.Published published -> {
                sentSoFar = published.sent();
                sent = OptionalLong.of(published.sent());
            }
            case DemoEvent.Connected ignored -> {}
            case DemoEvent.Received ignored -> {}
        }
    }

    /** A command's last words are its failure; anything else on its standard error is its log. */
    private void complain(ChildEvent.Complained complaint) {
        String line = complaint.line();
        if (line.startsWith(FAILURE_PREFIX)) {
            fail(complaint.child().name(), line.substring(FAILURE_PREFIX.length()));
        } else {
            view.print(complaint.attributed());
            MetricsPort.parse(line)
                    .ifPresent(address -> metricsFound.accept(complaint.child().name(), address));
        }
    }

    private void end(ChildEvent.Ended end) {
        String name = end.child().name();
        running.remove(name);
        if (end.status() != 0) {
            fail(name, end.description());
        }
        misused |= end.status() == CommandFailure.USAGE;
        boolean alone = running.size() == 1;
        boolean incomplete = end.status() != 0
                && sentSoFar == 0
                && subscribers.values().stream().noneMatch(SubscriberRun::isConnecting);
        ChildProcess publisher = running.get(PUBLISHER);
        if (publisher != null && (alone || incomplete)) {
            // There is nothing left to show, or a subscriber that the publisher waits for is missing. Subscribers that
            // are still connecting learn the cause from the publisher; otherwise they would only see it gone.
            publisher.askToEnd();
        }
    }

    /** The first failure of a process counts; what follows is its consequence. */
    private void fail(String name, String cause) {
        SubscriberRun subscriber = subscribers.get(name);
        boolean first = subscriber != null ? subscriber.fail(cause) : publisherError.isEmpty();
        if (subscriber == null && first) {
            publisherError = Optional.of(cause);
        }
        if (first && port != 0) {
            view.print(FAILURE_PREFIX + name + ": " + cause);
        }
    }

    private void show() {
        if (System.nanoTime() - shownNs < TimeUnit.MILLISECONDS.toNanos(SHOW_INTERVAL_MS)) {
            return;
        }
        shownNs = System.nanoTime();
        List<String> lines = new ArrayList<>();
        if (sentSoFar > 0) {
            lines.add(String.format(Locale.ROOT, "  %-9s %,12d rows", PUBLISHER, sentSoFar));
        } else if (running.containsKey(PUBLISHER)) {
            lines.add(String.format(Locale.ROOT, "  %-9s waits for subscribers", PUBLISHER));
        }
        subscribers.values().forEach(subscriber -> lines.add(subscriber.status()));
        view.show(lines);
    }

    private DemoReport judge(DataSet rows) {
        List<DemoReport.Row> judged = subscribers.values().stream()
                .map(subscriber -> subscriber.judge(rows, sent, sentSoFar))
                .toList();
        boolean ok = publisherError.isEmpty() && judged.stream().allMatch(DemoReport.Row::checksumOk);
        return new DemoReport(judged, ok, warmUpSeconds, Optional.empty());
    }

    /** Ends every process that still runs. */
    @Override
    public void close() {
        running.values().forEach(ChildProcess::askToEnd);
        running.values().forEach(ChildProcess::close);
    }
}
