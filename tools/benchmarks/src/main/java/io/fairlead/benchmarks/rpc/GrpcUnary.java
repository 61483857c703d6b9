package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.process.ProcessorTime;
import io.fairlead.benchmarks.process.SecondProcess;
import io.fairlead.benchmarks.rpc.RpcTurn.Caller;
import io.fairlead.benchmarks.rpc.RpcTurn.Figures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Unary calls of gRPC between two processes, of 64 bytes either way, over Fairlead's channels and over gRPC's own, in turns. A reply's callback makes the
 * next call, on the event loop. Every thread idles as it does by default.
 */
final class GrpcUnary {
    /** How many calls are in flight at once: for latency, and for rate. */
    static final List<Integer> IN_FLIGHT = List.of(1, RpcComparison.SLOTS);

    /** A round of the warm-up that is faster by less than this is no faster. */
    private static final double FASTER = 1.03;

    /**
     * How much is measured.
     *
     * @param warmUpRoundsMax turns of each contestant before anything is counted, at most; there are fewer where they get no faster
     * @param rounds turns of each contestant that are counted
     * @param singles calls of a turn with one in flight
     * @param windowed calls of a turn with {@link RpcComparison#SLOTS} in flight
     */
    record Plan(int warmUpRoundsMax, int rounds, int singles, int windowed) {
        private int count(int inFlight) {
            return inFlight == 1 ? singles : windowed;
        }
    }

    /**
     * One turn.
     *
     * @param figures rate and latency
     * @param processorUs what both processes have taken of the processors for each call, in microseconds
     */
    record Turn(Figures figures, double processorUs) {
        double perSecond() {
            return figures.perSecond();
        }

        double p50Us() {
            return figures.p50Us();
        }

        double p99Us() {
            return figures.p99Us();
        }
    }

    /**
     * A contestant with so many calls in flight.
     *
     * @param subject the contestant
     * @param inFlight calls that wait for their replies at once
     * @param turns what its counted turns have come to
     */
    record Result(GrpcContestant subject, int inFlight, List<Turn> turns) {
        /** One figure of all rounds. */
        List<Double> all(ToDoubleFunction<Turn> figure) {
            return turns.stream().map(figure::applyAsDouble).toList();
        }
    }

    /**
     * What all have come to.
     *
     * @param defaultCarrier what gRPC has picked by itself
     * @param warmUpRounds how many there were
     * @param all by calls in flight, and the contestants in the order of their turns
     */
    record Results(String defaultCarrier, int warmUpRounds, List<Result> all) {
        /** Of one contestant; empty if it was not measured. */
        Optional<Result> of(GrpcContestant subject, int inFlight) {
            return all.stream()
                    .filter(result -> result.subject() == subject && result.inFlight() == inFlight)
                    .findFirst();
        }
    }

    private final Plan plan;
    private final List<GrpcContestant> contestants;
    private final Consumer<String> progress;

    GrpcUnary(Plan plan, List<GrpcContestant> contestants, Consumer<String> progress) {
        this.plan = plan;
        this.contestants = contestants;
        this.progress = progress;
    }

    Results run() {
        return SecondProcess.compare(this::compare);
    }

    private Results compare() throws IOException {
        try (GrpcPairs pairs = GrpcPairs.start(contestants)) {
            return new Measurement(pairs).measure();
        }
    }

    /** The turns of clients that are connected. */
    private final class Measurement {
        private final GrpcPairs pairs;

        Measurement(GrpcPairs pairs) {
            this.pairs = pairs;
        }

        Results measure() throws IOException {
            int warmUpRounds = warmUp();
            List<Result> results = results();
            for (int round = 0; round < plan.rounds(); round++) {
                progress.accept("grpc: round " + (round + 1) + " of " + plan.rounds());
                takeTurns(results);
            }
            return new Results(defaultCarrier(), warmUpRounds, results);
        }

        private String defaultCarrier() {
            return pairs.clients().stream()
                    .filter(client -> client.contestant() == GrpcContestant.DEFAULT)
                    .map(GrpcClient::carriedBy)
                    .findFirst()
                    .orElse("nothing");
        }

        private List<Result> results() {
            List<Result> results = new ArrayList<>();
            for (int inFlight : IN_FLIGHT) {
                for (GrpcClient client : pairs.clients()) {
                    results.add(new Result(client.contestant(), inFlight, new ArrayList<>()));
                }
            }
            return results;
        }

        /** Until nobody gets any faster; how many rounds that took. */
        private int warmUp() throws IOException {
            List<Result> results = results();
            for (int round = 1; round <= plan.warmUpRoundsMax(); round++) {
                progress.accept("grpc: warming up, round " + round + " of " + plan.warmUpRoundsMax() + " at most");
                takeTurns(results);
                if (results.stream().noneMatch(this::hasGotFaster)) {
                    return round;
                }
            }
            return plan.warmUpRoundsMax();
        }

        private boolean hasGotFaster(Result result) {
            List<Double> rates = result.all(Turn::perSecond);
            double before = rates.subList(0, rates.size() - 1).stream()
                    .mapToDouble(Double::doubleValue)
                    .max()
                    .orElse(0);
            return rates.getLast() > FASTER * before;
        }

        private void takeTurns(List<Result> results) throws IOException {
            for (int i = 0; i < results.size(); i++) {
                Result result = results.get(i);
                result.turns().add(turn(pairs.clients().get(i % pairs.clients().size()), result.inFlight()));
            }
        }

        private Turn turn(GrpcClient client, int inFlight) throws IOException {
            int count = plan.count(inFlight);
            long beforeNs = processorNs();
            Figures figures = RpcTurn.run(client, Caller.CALLBACK, inFlight, count);
            return new Turn(figures, (processorNs() - beforeNs) / 1e3 / count);
        }

        private long processorNs() throws IOException {
            return pairs.answeringProcessorNs() + ProcessorTime.ofThisProcessNs();
        }
    }
}
