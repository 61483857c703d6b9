package io.fairlead.benchmarks.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.benchmarks.contest.Payload;
import io.fairlead.benchmarks.contest.RequestSide.Caller;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Turn;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the comparison runs with all contestants and compares the right ones. How fast anybody is, no test asks. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GrpcCommandTest {
    @Test
    void shouldMeasureEveryContestantInTurns() throws IOException {
        RpcCommand.Results results = RpcCommand.measure(
                "grpc",
                RpcContestant.GRPC,
                GrpcCommand.CASES,
                new Rounds.Plan(2, 1_000_000, 1, 200, 20, false),
                _ -> {});
        List<String> titles = results.connections().keySet().stream()
                .map(RpcContestant::title)
                .toList();
        assertTrue(titles.containsAll(List.of("fairlead-tcp", "grpc-default")), titles::toString);
        String carrier = results.connections().get(RpcContestant.GRPC_DEFAULT);
        assertTrue(List.of("epoll", "nio").contains(carrier), carrier);
        assertEquals("fairlead", results.connections().get(RpcContestant.GRPC_TCP));
        assertEquals(GrpcCommand.CASES, List.copyOf(results.turns().keySet()));
        for (Map<String, List<Turn>> ofCase : results.turns().values()) {
            assertEquals(titles, List.copyOf(ofCase.keySet()));
            ofCase.values().forEach(turns -> {
                assertEquals(2, turns.size());
                assertTrue(
                        turns.stream()
                                .allMatch(turn ->
                                        turn.perSecond() > 0 && turn.p50Us() > 0 && turn.p99Us() >= turn.p50Us()),
                        turns::toString);
            });
        }
    }

    @Test
    void shouldCarryMessagesUnchanged() throws Exception {
        byte[] request = Payload.bytes(RpcCommand.SIZE, 7);
        assertArrayEquals(request, GrpcMethod.ASK.parseRequest(GrpcMethod.ASK.streamRequest(request)));
        assertArrayEquals(request, GrpcMethod.ASK.parseResponse(GrpcMethod.ASK.streamResponse(request)));
    }

    @Test
    void shouldCompareSharedMemoryWithBothOthers() {
        Report report = report(List.of(
                new Measured(RpcContestant.GRPC_SHM, 1, 50_000, 20),
                new Measured(RpcContestant.GRPC_DEFAULT, 1, 25_000, 40),
                new Measured(RpcContestant.GRPC_UDS, 1, 40_000, 25),
                new Measured(RpcContestant.GRPC_SHM, 64, 130_000, 500),
                new Measured(RpcContestant.GRPC_DEFAULT, 64, 100_000, 640),
                new Measured(RpcContestant.GRPC_UDS, 64, 130_000, 500)));
        assertEquals(
                List.of(
                        Goal.atLeast("shm-1-p50-to-grpc-default", 2, 1.5),
                        Goal.atLeast("shm-64-rate-to-grpc-default", 1.3, 1.3),
                        Goal.atLeast("shm-1-p50-to-grpc-uds", 1.25, 1.5),
                        Goal.atLeast("shm-64-rate-to-grpc-uds", 1, 1.3)),
                report.goals());
        assertEquals(
                List.of(true, true, false, false),
                report.goals().stream().map(Goal::met).toList());
        int length = RpcCommand.SIZE;
        List<Row> rows = report.rows();
        assertTrue(
                rows.contains(
                        new Row("grpc", "in-flight-1", "fairlead-shm/grpc-default", length, "p50-better", 2, "ratio")),
                rows::toString);
        assertTrue(
                rows.contains(new Row("grpc", "in-flight-64", "grpc-uds", length, "rate", 130_000, "1/s")),
                rows::toString);
        assertTrue(
                printed.toString(StandardCharsets.UTF_8).contains("p50 1.25, rate 1.25"),
                () -> printed.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldCompareWithoutThoseThatAreNotThere() {
        Report withoutSockets = report(List.of(
                new Measured(RpcContestant.GRPC_SHM, 1, 50_000, 20),
                new Measured(RpcContestant.GRPC_DEFAULT, 1, 25_000, 40),
                new Measured(RpcContestant.GRPC_SHM, 64, 130_000, 500),
                new Measured(RpcContestant.GRPC_DEFAULT, 64, 100_000, 640)));
        assertEquals(
                List.of("shm-1-p50-to-grpc-default", "shm-64-rate-to-grpc-default"),
                withoutSockets.goals().stream().map(Goal::id).toList());
        Report withoutSharedMemory = report(List.of(
                new Measured(RpcContestant.GRPC_TCP, 1, 50_000, 20),
                new Measured(RpcContestant.GRPC_DEFAULT, 1, 25_000, 40)));
        assertEquals(List.of(), withoutSharedMemory.goals());
    }

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private record Measured(RpcContestant contestant, int inFlight, double perSecond, double p50Us) {
        /** Three turns, of which the middle one has these figures. */
        List<Turn> turns() {
            return DoubleStream.of(0.5, 1, 2)
                    .mapToObj(factor -> Turn.of(perSecond * factor, p50Us / factor))
                    .toList();
        }
    }

    private Report report(List<Measured> measured) {
        Map<RpcCommand.Case, Map<String, List<Turn>>> turns = new LinkedHashMap<>();
        measured.forEach(one -> turns.computeIfAbsent(
                        new RpcCommand.Case(Caller.CALLBACK, one.inFlight()), _ -> new LinkedHashMap<>())
                .put(one.contestant().title(), one.turns()));
        Report report = new Report();
        GrpcCommand.add(turns, new PrintStream(printed, true, StandardCharsets.UTF_8), report);
        return report;
    }
}
