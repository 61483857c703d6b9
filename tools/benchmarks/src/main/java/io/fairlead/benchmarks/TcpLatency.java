package io.fairlead.benchmarks;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.Worker;
import io.fairlead.benchmarks.process.SecondProcess;
import io.fairlead.cli.measure.Allocations;
import io.fairlead.cli.measure.FairleadPingPong;
import io.fairlead.cli.measure.PingPong;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Half round trips between two processes on one host, raw NIO and Fairlead over TCP in turns, both spinning, so that what the machine does
 * to the one it does to the other.
 */
final class TcpLatency {
    /**
     * What one size has come to. Lists hold a figure per round, in microseconds.
     *
     * @param size bytes of a message
     * @param rawP50 medians of the reference
     * @param rawP99 its 99th percentiles
     * @param fairleadP50 medians of Fairlead
     * @param fairleadP99 its 99th percentiles
     * @param allocatedPerOperation heap bytes per message sent or received, of the process that allocates more
     */
    record Result(
            int size,
            List<Double> rawP50,
            List<Double> rawP99,
            List<Double> fairleadP50,
            List<Double> fairleadP99,
            double allocatedPerOperation) {
        /** Fairlead's median over that of the reference in the same round. */
        List<Double> ratios() {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < rawP50.size(); i++) {
                ratios.add(fairleadP50.get(i) / rawP50.get(i));
            }
            return ratios;
        }
    }

    private final Schedule schedule;
    private final Consumer<String> progress;

    TcpLatency(Schedule schedule, Consumer<String> progress) {
        this.schedule = schedule;
        this.progress = progress;
    }

    /** Over TCP whatever else there is, and patient, because a contestant makes no progress while the other has its turn. */
    static FairleadConfig config(FairleadConfig base) {
        return base.with(ConfigKeys.POLICY, PathPolicy.TCP_ONLY)
                .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMinutes(5));
    }

    List<Result> run() {
        return SecondProcess.compare(this::compare);
    }

    private List<Result> compare() throws IOException {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Accepted accepted = new Accepted();
        try (Context context = Context.open(config(FairleadConfig.defaults()));
                Worker worker = context.newWorker();
                ServerSocketChannel rawListener = ServerSocketChannel.open().bind(anyPort)) {
            Listener listener = worker.listen(anyPort, accepted);
            int rawPort = ((InetSocketAddress) rawListener.getLocalAddress()).getPort();
            Process answering = start(rawPort, listener.address().getPort());
            try {
                return measure(answering, rawListener, worker, accepted);
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

    private Process start(int rawPort, int fairleadPort) throws IOException {
        return SecondProcess.start(
                List.of(),
                EchoMain.class,
                List.of(String.valueOf(rawPort), String.valueOf(fairleadPort), schedule.text()));
    }

    private List<Result> measure(Process answering, ServerSocketChannel rawListener, Worker worker, Accepted accepted)
            throws IOException {
        SecondProcess.await(answering, () -> {
            worker.progress();
            return accepted.endpoint != null;
        });
        // It connected the raw channel before.
        try (SocketChannel connected = RawPingPong.prepare(rawListener.accept())) {
            List<Measured> measured = new ArrayList<>();
            for (int size : schedule.sizes()) {
                measured.add(measure(connected, worker, accepted.endpoint(), size));
            }
            Map<Integer, Long> allocatedThere = new HashMap<>();
            answering
                    .inputReader()
                    .lines()
                    .map(line -> line.split(" ", -1))
                    .forEach(pair -> allocatedThere.put(Integer.valueOf(pair[0]), Long.valueOf(pair[1])));
            return measured.stream()
                    .map(one -> one.result(schedule, allocatedThere.getOrDefault(one.size, Long.MAX_VALUE)))
                    .toList();
        }
    }

    private Measured measure(SocketChannel raw, Worker worker, Endpoint endpoint, int size) {
        try (PingPong reference = new RawPingPong(raw, size);
                PingPong fairlead = new FairleadPingPong(worker, endpoint, size, FairleadPingPong.BARE_LOOP)) {
            Measured measured = new Measured(size);
            long[] times = new long[schedule.exchanges(size)];
            int all = schedule.warmUpRounds() + schedule.rounds();
            for (int round = 0; round < all; round++) {
                progress.accept("tcp-latency: " + size + " bytes, round " + (round + 1) + " of " + all);
                boolean counts = round >= schedule.warmUpRounds();
                round(reference, times);
                if (counts) {
                    measured.rawP50.add(percentile(times, 0.50));
                    measured.rawP99.add(percentile(times, 0.99));
                }
                long before = Allocations.ofThisThread();
                round(fairlead, times);
                long allocated = Allocations.ofThisThread() - before;
                if (counts) {
                    measured.allocated += allocated;
                    measured.fairleadP50.add(percentile(times, 0.50));
                    measured.fairleadP99.add(percentile(times, 0.99));
                }
            }
            return measured;
        }
    }

    /** What one size has come to in this process. */
    private static final class Measured {
        final int size;
        final List<Double> rawP50 = new ArrayList<>();
        final List<Double> rawP99 = new ArrayList<>();
        final List<Double> fairleadP50 = new ArrayList<>();
        final List<Double> fairleadP99 = new ArrayList<>();
        long allocated;

        Measured(int size) {
            this.size = size;
        }

        Result result(Schedule schedule, long allocatedThere) {
            // An exchange is two operations on either side: a send and a receive.
            double operations = 2.0 * schedule.exchanges(size) * schedule.rounds();
            return new Result(
                    size, rawP50, rawP99, fairleadP50, fairleadP99, Math.max(allocated, allocatedThere) / operations);
        }
    }

    private static void round(PingPong contestant, long[] times) {
        for (int i = 0; i < times.length; i++) {
            long start = System.nanoTime();
            contestant.ask();
            times[i] = System.nanoTime() - start;
        }
    }

    /** A percentile of the half round trips, in microseconds. */
    private static double percentile(long[] roundTrips, double share) {
        long[] sorted = roundTrips.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.min(sorted.length - 1, Math.round(share * sorted.length))] / 2000.0;
    }
}
