package io.fairlead.benchmarks.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/** That the comparison runs with all contestants, looks at every byte and compares the right ones. How fast anybody is, no test asks. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GrpcCommandTest {
    @Test
    void shouldMeasureEveryContestantInTurns() throws IOException {
        List<GrpcContestant> contestants = GrpcContestant.available();
        assertTrue(contestants.containsAll(List.of(GrpcContestant.TCP, GrpcContestant.DEFAULT)), contestants::toString);
        GrpcCommand.Results results =
                GrpcCommand.measure(contestants, new Rounds.Plan(2, 1_000_000, 1, 200, 20, false), _ -> {});
        assertTrue(List.of("epoll", "nio").contains(results.defaultCarrier()), results.defaultCarrier());
        assertEquals(GrpcCommand.IN_FLIGHT, List.copyOf(results.turns().keySet()));
        for (GrpcContestant contestant : contestants) {
            for (int inFlight : GrpcCommand.IN_FLIGHT) {
                List<Turn> turns = results.of(contestant, inFlight).orElseThrow();
                assertEquals(2, turns.size());
                assertTrue(
                        turns.stream()
                                .allMatch(turn ->
                                        turn.perSecond() > 0 && turn.p50Us() > 0 && turn.p99Us() >= turn.p50Us()),
                        turns::toString);
            }
        }
    }

    @Test
    void shouldFindEveryByteThatChangedOnTheWay() {
        byte[] intact = GrpcMethod.reply(GrpcMethod.request(7));
        GrpcMethod.checkReply(intact, 7);
        for (int i = 0; i < RpcPayload.LENGTH; i++) {
            byte[] request = GrpcMethod.request(7);
            request[i] ^= 1;
            byte[] answered = GrpcMethod.reply(request);
            assertThrows(IllegalStateException.class, () -> GrpcMethod.checkReply(answered, 7), "request, byte " + i);

            byte[] reply = GrpcMethod.reply(GrpcMethod.request(7));
            reply[i] ^= 1;
            assertThrows(IllegalStateException.class, () -> GrpcMethod.checkReply(reply, 7), "reply, byte " + i);
        }
        assertThrows(IllegalStateException.class, () -> GrpcMethod.checkReply(new byte[RpcPayload.LENGTH - 1], 7));
    }

    @Test
    void shouldCarryMessagesUnchanged() throws Exception {
        byte[] request = GrpcMethod.request(7);
        assertArrayEquals(request, GrpcMethod.ASK.parseRequest(GrpcMethod.ASK.streamRequest(request)));
        byte[] reply = GrpcMethod.reply(request);
        assertArrayEquals(reply, GrpcMethod.ASK.parseResponse(GrpcMethod.ASK.streamResponse(reply)));
    }

    @Test
    void shouldCompareSharedMemoryWithBothOthers() {
        Report report = report(List.of(
                new Measured(GrpcContestant.SHM, 1, 50_000, 20),
                new Measured(GrpcContestant.DEFAULT, 1, 25_000, 40),
                new Measured(GrpcContestant.UDS, 1, 40_000, 25),
                new Measured(GrpcContestant.SHM, 64, 130_000, 500),
                new Measured(GrpcContestant.DEFAULT, 64, 100_000, 640),
                new Measured(GrpcContestant.UDS, 64, 130_000, 500)));
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
        int length = RpcPayload.LENGTH;
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
                new Measured(GrpcContestant.SHM, 1, 50_000, 20),
                new Measured(GrpcContestant.DEFAULT, 1, 25_000, 40),
                new Measured(GrpcContestant.SHM, 64, 130_000, 500),
                new Measured(GrpcContestant.DEFAULT, 64, 100_000, 640)));
        assertEquals(
                List.of("shm-1-p50-to-grpc-default", "shm-64-rate-to-grpc-default"),
                withoutSockets.goals().stream().map(Goal::id).toList());
        Report withoutSharedMemory = report(List.of(
                new Measured(GrpcContestant.TCP, 1, 50_000, 20), new Measured(GrpcContestant.DEFAULT, 1, 25_000, 40)));
        assertEquals(List.of(), withoutSharedMemory.goals());
    }

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private record Measured(GrpcContestant contestant, int inFlight, double perSecond, double p50Us) {
        /** Three turns, of which the middle one has these figures. */
        List<Turn> turns() {
            return DoubleStream.of(0.5, 1, 2)
                    .mapToObj(factor -> Turn.of(perSecond * factor, p50Us / factor))
                    .toList();
        }
    }

    private Report report(List<Measured> measured) {
        Map<Integer, Map<String, List<Turn>>> turns = new LinkedHashMap<>();
        measured.forEach(one -> turns.computeIfAbsent(one.inFlight(), _ -> new LinkedHashMap<>())
                .put(one.contestant().label(), one.turns()));
        Report report = new Report();
        GrpcCommand.add(
                new GrpcCommand.Results("epoll", turns),
                new PrintStream(printed, true, StandardCharsets.UTF_8),
                report);
        return report;
    }
}
