package io.fairlead.benchmarks;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.Worker;
import io.fairlead.benchmarks.process.SecondProcess;
import io.fairlead.cli.keys.TemporaryKeys;
import io.fairlead.cli.measure.Allocations;
import io.fairlead.cli.measure.FairleadPingPong;
import io.fairlead.cli.measure.Spread;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Connections between two processes of one host with security and without, in turns, both spinning. In each turn a contestant connects some times,
 * then exchanges short messages, then sends long ones one after the other.
 */
final class TlsCost {
    /** What all have come to, in the order of their turns. */
    static final class Results {
        private final EnumMap<TlsContestant, Result> results = new EnumMap<>(TlsContestant.class);

        private void add(Result result) {
            results.put(result.contestant, result);
        }

        boolean has(TlsContestant contestant) {
            return results.containsKey(contestant);
        }

        Collection<Result> all() {
            return results.values();
        }

        private Result of(TlsContestant contestant) {
            Result result = results.get(contestant);
            if (result == null) {
                throw new IllegalArgumentException("was not measured: contestant=" + contestant);
            }
            return result;
        }

        /** The median of what a figure of one is to that of another in the same round. */
        double ratio(TlsContestant one, TlsContestant other, Function<Result, List<Double>> figure) {
            List<Double> ones = figure.apply(of(one));
            List<Double> others = figure.apply(of(other));
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < ones.size(); i++) {
                ratios.add(ones.get(i) / others.get(i));
            }
            return Spread.of(ratios).median();
        }
    }

    /** What one contestant has come to; lists hold a figure per round. */
    static final class Result {
        private final TlsContestant contestant;
        final List<Double> connectMs = new ArrayList<>();
        final List<Double> halfRoundTripUs = new ArrayList<>();
        final List<Double> gigabytesPerSecond = new ArrayList<>();
        final List<Double> allocatedSmall = new ArrayList<>();
        final List<Double> allocatedLarge = new ArrayList<>();

        Result(TlsContestant contestant) {
            this.contestant = contestant;
        }

        TlsContestant contestant() {
            return contestant;
        }

        /** Of long messages. */
        List<Double> rates() {
            return gigabytesPerSecond;
        }

        /** Short messages in a microsecond, one way at a time. */
        List<Double> exchangeRates() {
            return halfRoundTripUs.stream().map(us -> 1 / us).toList();
        }
    }

    private final TlsTurn turn;
    private final int warmUpRounds;
    private final int rounds;
    private final List<TlsContestant> contestants;
    private final Consumer<String> progress;

    TlsCost(TlsTurn turn, int warmUpRounds, int rounds, List<TlsContestant> contestants, Consumer<String> progress) {
        this.turn = turn;
        this.warmUpRounds = warmUpRounds;
        this.rounds = rounds;
        this.contestants = contestants;
        this.progress = progress;
    }

    Results run() {
        return SecondProcess.compare(this::compare);
    }

    private Results compare() throws IOException {
        try (TemporaryKeys keys = TemporaryKeys.make()) {
            Process answering = start(keys.settings("answering"));
            Map<String, String> security = keys.settings("asking");
            List<Side> sides = new ArrayList<>();
            try (BufferedReader told = answering.inputReader()) {
                for (TlsContestant contestant : contestants) {
                    sides.add(new Side(contestant, security, port(told)));
                }
                measure(sides, told);
            } finally {
                sides.forEach(Side::close);
                answering.destroy();
                awaitEnd(answering);
            }
            Results results = new Results();
            sides.forEach(side -> results.add(side.result));
            return results;
        }
    }

    /** Its files are deleted behind it. */
    private static void awaitEnd(Process process) {
        process.onExit().join();
    }

    private Process start(Map<String, String> security) throws IOException {
        List<String> arguments = new ArrayList<>(turn.arguments());
        arguments.add(String.valueOf(warmUpRounds + rounds));
        arguments.add(contestants.stream().map(Enum::name).collect(Collectors.joining(",")));
        security.forEach((key, value) -> arguments.addAll(List.of(key, value)));
        return SecondProcess.start(List.of(), TlsEcho.class, arguments);
    }

    private static int port(BufferedReader told) throws IOException {
        return Integer.parseInt(line(told));
    }

    private static String line(BufferedReader told) throws IOException {
        String line = told.readLine();
        if (line == null) {
            throw new IOException("the answering process has ended");
        }
        return line;
    }

    private void measure(List<Side> sides, BufferedReader told) throws IOException {
        int all = warmUpRounds + rounds;
        for (int round = 0; round < all; round++) {
            for (Side side : sides) {
                progress.accept("tls: " + side.result.contestant().label() + ", round " + (round + 1) + " of " + all);
                side.measure(turn, told, round >= warmUpRounds);
            }
        }
    }

    /** One contestant in this process. */
    private static final class Side implements AutoCloseable {
        final Result result;
        private final Context context;
        private final Worker worker;
        private final InetSocketAddress address;

        Side(TlsContestant contestant, Map<String, String> security, int port) {
            result = new Result(contestant);
            context = Context.open(contestant.config(security));
            worker = context.newWorker();
            address = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
        }

        private Endpoint connect() {
            Endpoint endpoint = worker.connect(address, EndpointHandler.NONE);
            while (endpoint.state() == EndpointState.CONNECTING) {
                worker.progress();
            }
            if (endpoint.failure().isPresent()) {
                throw endpoint.failure().get();
            }
            return endpoint;
        }

        void measure(TlsTurn turn, BufferedReader told, boolean counts) throws IOException {
            long[] connects = new long[turn.connects()];
            for (int i = 0; i < connects.length; i++) {
                long start = System.nanoTime();
                Endpoint endpoint = connect();
                connects[i] = System.nanoTime() - start;
                awaitGreeting(endpoint);
                endpoint.close();
            }
            Endpoint endpoint = connect();
            awaitGreeting(endpoint);
            long[] times = new long[turn.exchanges()];
            long before = Allocations.ofThisThread();
            exchange(endpoint, times);
            long forSmall = Allocations.ofThisThread() - before;
            before = Allocations.ofThisThread();
            long streamNs = stream(endpoint, turn.messages());
            long forLarge = Allocations.ofThisThread() - before;
            endpoint.close();
            String[] there = line(told).split(" ", -1);
            if (counts) {
                result.connectMs.add(median(connects) / 1e6);
                result.halfRoundTripUs.add(median(times) / 2e3);
                result.gigabytesPerSecond.add((double) turn.messages() * TlsTurn.LARGE / streamNs);
                // An exchange is a send and a receive on either side.
                result.allocatedSmall.add(Math.max(forSmall, Long.parseLong(there[0])) / (2.0 * turn.exchanges()));
                result.allocatedLarge.add(Math.max(forLarge, Long.parseLong(there[1])) / (double) turn.messages());
            }
        }

        /** The listener knows the endpoint then. */
        private void awaitGreeting(Endpoint endpoint) {
            try (MessageStream greeting = new MessageStream(worker, endpoint, 1, 1)) {
                greeting.follow(1);
            }
        }

        private void exchange(Endpoint endpoint, long[] times) {
            try (FairleadPingPong small =
                    new FairleadPingPong(worker, endpoint, TlsTurn.SMALL, FairleadPingPong.BARE_LOOP)) {
                for (int i = 0; i < times.length; i++) {
                    long start = System.nanoTime();
                    small.ask();
                    times[i] = System.nanoTime() - start;
                }
            }
        }

        private long stream(Endpoint endpoint, int messages) {
            try (MessageStream large = new MessageStream(worker, endpoint, TlsTurn.LARGE, TlsTurn.WINDOW)) {
                long start = System.nanoTime();
                large.lead(messages);
                return System.nanoTime() - start;
            }
        }

        private static double median(long[] values) {
            long[] sorted = values.clone();
            Arrays.sort(sorted);
            return sorted[sorted.length / 2];
        }

        @Override
        public void close() {
            worker.close();
            context.close();
        }
    }
}
