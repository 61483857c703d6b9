package io.fairlead.benchmarks;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.Path;
import io.fairlead.PathPolicy;
import io.fairlead.benchmarks.process.SecondProcess;
import io.fairlead.cli.measure.FairleadPingPong;
import io.fairlead.cli.measure.Laps;
import io.fairlead.cli.measure.PingPong;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What metrics cost: half round trips of 8 bytes between two processes, both spinning, by two contexts in either process, one with metrics and
 * one without, in many short turns.
 */
final class MetricsCost {
    static final int SIZE = 8;
    /** Exchanges that are timed together: of 256 operations some are sampled, so that no figure leaves out what that takes. */
    private static final int BATCH = 64;

    /**
     * A test.
     *
     * @param label its name
     * @param policy which path it takes
     * @param schedule its rounds
     */
    record Case(String label, PathPolicy policy, Schedule schedule) {}

    /**
     * What a test has come to. Lists hold a figure per round, in microseconds.
     *
     * @param label the test
     * @param path the path that both contestants have taken
     * @param off medians without metrics
     * @param on medians with metrics
     * @param scrapes how often this process's metrics were read meanwhile
     */
    record Result(String label, Path path, List<Double> off, List<Double> on, long scrapes) {
        /** With metrics over without, in the same round. */
        List<Double> ratios() {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < off.size(); i++) {
                ratios.add(on.get(i) / off.get(i));
            }
            return ratios;
        }
    }

    private final Case test;
    private final Consumer<String> progress;

    MetricsCost(Case test, Consumer<String> progress) {
        this.test = test;
        this.progress = progress;
    }

    /** Whichever is first has the colder caches, so that each is first in every other round. */
    static boolean offFirst(int round) {
        return round % 2 == 0;
    }

    Result run() {
        return SecondProcess.compare(this::compare);
    }

    private Result compare() throws IOException {
        Accepted toOff = new Accepted();
        Accepted toOn = new Accepted();
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (MetricsCostSide off = MetricsCostSide.without(test.policy());
                MetricsCostSide on = MetricsCostSide.with(test.policy())) {
            int offPort = off.worker().listen(anyPort, toOff).address().getPort();
            int onPort = on.worker().listen(anyPort, toOn).address().getPort();
            Process answering = SecondProcess.start(
                    List.of(),
                    MetricsCostEcho.class,
                    List.of(
                            test.policy().toString(),
                            String.valueOf(offPort),
                            String.valueOf(onPort),
                            test.schedule().text()));
            try {
                awaitConnections(answering, off, toOff, on, toOn);
                return measure(off, toOff.endpoint(), on, toOn.endpoint());
            } finally {
                answering.destroy();
            }
        }
    }

    private static final class Accepted implements EndpointHandler {
        private @Nullable Endpoint endpoint;

        @Override
        public void connected(Endpoint connected) {
            endpoint = connected;
        }

        Endpoint endpoint() {
            return Objects.requireNonNull(endpoint, "endpoint");
        }
    }

    /** Makes progress for both contestants until the other process has connected both, for which it may need either. */
    private static void awaitConnections(
            Process answering, MetricsCostSide off, Accepted toOff, MetricsCostSide on, Accepted toOn)
            throws IOException {
        BufferedReader said = answering.inputReader();
        SecondProcess.await(answering, () -> {
            off.worker().progress();
            on.worker().progress();
            return toOff.endpoint != null && toOn.endpoint != null && saidSomething(said);
        });
    }

    private static boolean saidSomething(BufferedReader said) {
        try {
            return said.ready();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private Result measure(MetricsCostSide off, Endpoint offEndpoint, MetricsCostSide on, Endpoint onEndpoint) {
        Schedule schedule = test.schedule();
        List<Double> offMedians = new ArrayList<>();
        List<Double> onMedians = new ArrayList<>();
        Laps laps = new Laps(BATCH, 2);
        try (PingPong offPingPong = pingPong(off, offEndpoint);
                PingPong onPingPong = pingPong(on, onEndpoint)) {
            int all = schedule.warmUpRounds() + schedule.rounds();
            for (int round = 0; round < all; round++) {
                progress.accept(test.label() + ", round " + (round + 1) + " of " + all);
                double first = offFirst(round) ? median(offPingPong, laps) : median(on, onPingPong, laps);
                double second = offFirst(round) ? median(on, onPingPong, laps) : median(offPingPong, laps);
                if (round >= schedule.warmUpRounds()) {
                    offMedians.add(offFirst(round) ? first : second);
                    onMedians.add(offFirst(round) ? second : first);
                }
            }
        }
        return new Result(test.label(), offEndpoint.path().orElseThrow(), offMedians, onMedians, on.scrapes());
    }

    static PingPong pingPong(MetricsCostSide side, Endpoint endpoint) {
        return new FairleadPingPong(side.worker(), endpoint, SIZE, FairleadPingPong.BARE_LOOP);
    }

    private double median(MetricsCostSide side, PingPong pingPong, Laps laps) {
        side.inTurn(() -> round(pingPong, laps));
        return laps.medianUs();
    }

    private double median(PingPong pingPong, Laps laps) {
        round(pingPong, laps);
        return laps.medianUs();
    }

    private void round(PingPong pingPong, Laps laps) {
        int exchanges = test.schedule().exchanges(SIZE);
        laps.start();
        for (int i = 0; i < exchanges; i++) {
            pingPong.ask();
            laps.lap();
        }
        laps.stop(exchanges);
    }
}
