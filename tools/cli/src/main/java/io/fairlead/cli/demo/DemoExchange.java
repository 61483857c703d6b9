package io.fairlead.cli.demo;

import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.process.ChildEvent;
import io.fairlead.cli.process.ChildProcess;
import io.fairlead.cli.process.StopSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The demo between two hosts: its publisher on one of them, as this object is, and its subscribers on the other. */
public final class DemoExchange implements AutoCloseable {
    private static final String LAST_WORDS = "fairlead: ";
    private static final long POLL_MS = 100;
    private static final long START_LIMIT_S = 90;
    /** What joining, draining and closing may take beside the publishing. */
    private static final long END_LIMIT_S = 120;

    private final BlockingQueue<ChildEvent> events = new LinkedBlockingQueue<>();
    private final StopSignal stop;
    private final double seconds;
    private final ChildProcess publisher;

    /**
     * Starts a publisher in a process of its own, which waits for its subscribers.
     *
     * @param stop ends the waiting
     * @param listen where it listens; port 0 takes a free one
     * @param seconds how long it publishes
     * @param rate rows per second
     * @param configuration options of the command that say how Fairlead is configured
     */
    public DemoExchange(StopSignal stop, Address listen, double seconds, double rate, List<String> configuration) {
        this.stop = stop;
        this.seconds = seconds;
        List<String> arguments = new ArrayList<>(List.of(
                "demo-publisher",
                "--host=" + listen.host(),
                "--port=" + listen.port(),
                "--rate=" + rate,
                "--seconds=" + seconds));
        arguments.addAll(configuration);
        publisher = ChildProcess.start("publisher", arguments, events);
    }

    /**
     * Waits until subscribers can connect.
     *
     * @return the publisher's port
     * @throws CommandFailure if it does not come up
     */
    public int port() {
        return await(START_LIMIT_S, event -> event instanceof DemoEvent.Listening told ? told.port() : null);
    }

    /**
     * Waits until everything is published.
     *
     * @return how many rows were sent
     * @throws CommandFailure if the publisher ends before
     */
    public long sent() {
        return await(
                END_LIMIT_S + (long) seconds, event -> event instanceof DemoEvent.Published told ? told.sent() : null);
    }

    private <T> T await(long limitS, Function<DemoEvent, @Nullable T> wanted) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitS);
        List<String> complaints = new ArrayList<>();
        while (!stop.requested() && System.nanoTime() - deadline < 0) {
            switch (next()) {
                case ChildEvent.Said said -> {
                    T found = DemoEvent.parse(said.line()).map(wanted).orElse(null);
                    if (found != null) {
                        return found;
                    }
                }
                case ChildEvent.Complained complained -> complaints.add(complained.line());
                case ChildEvent.Ended ended ->
                    throw CommandFailure.failed("the demo's publisher " + ended.description()
                            + complaints.stream()
                                    .filter(line -> line.startsWith(LAST_WORDS))
                                    .findFirst()
                                    .map(line -> ": " + line.substring(LAST_WORDS.length()))
                                    .orElse(""));
                case null -> {}
            }
        }
        throw CommandFailure.failed("the demo's publisher "
                + (stop.requested() ? "was stopped" : "gave no answer in " + limitS + " s; see what it logged"));
    }

    private @Nullable ChildEvent next() {
        try {
            return events.poll(POLL_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("interrupted while waiting for the demo's publisher; run it again");
        }
    }

    /**
     * Runs the three subscribers against a publisher, each in a process of its own, to their end.
     *
     * @param stop ends them
     * @param publisher where it listens
     * @param seconds how long it publishes
     * @param configuration options of the command that say how Fairlead is configured
     * @param sent asked when they have ended: how many rows the publisher has sent
     * @return what each got, judged; without latencies that mean anything between two hosts
     * @throws InterruptedException if the thread is interrupted
     */
    public static DemoReport subscribe(
            StopSignal stop, Address publisher, double seconds, List<String> configuration, LongSupplier sent)
            throws InterruptedException {
        try (DemoRun run = new DemoRun(stop, (number, name) -> configuration, false, (name, metrics) -> {})) {
            return run.run(seconds, publisher, sent);
        }
    }

    /** Ends the publisher. */
    @Override
    public void close() {
        publisher.close();
    }
}
