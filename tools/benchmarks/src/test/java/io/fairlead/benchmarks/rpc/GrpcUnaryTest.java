package io.fairlead.benchmarks.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the comparison runs with all contestants, looks at every byte and compares the right ones. How fast anybody is, no test asks. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GrpcUnaryTest {
    @Test
    void shouldMeasureEveryContestantInTurns() {
        List<GrpcContestant> contestants = GrpcContestant.available();
        assertTrue(contestants.containsAll(List.of(GrpcContestant.TCP, GrpcContestant.DEFAULT)), contestants::toString);
        GrpcUnary.Results results = new GrpcUnary(new GrpcUnary.Plan(2, 2, 20, 200), contestants, line -> {}).run();
        assertTrue(List.of("epoll", "nio").contains(results.defaultCarrier()), results.defaultCarrier());
        assertEquals(
                GrpcUnary.IN_FLIGHT.size() * contestants.size(), results.all().size());
        for (int i = 0; i < results.all().size(); i++) {
            GrpcUnary.Result result = results.all().get(i);
            assertEquals(contestants.get(i % contestants.size()), result.subject());
            assertEquals(GrpcUnary.IN_FLIGHT.get(i / contestants.size()), result.inFlight());
            assertEquals(2, result.turns().size());
            assertTrue(
                    result.turns().stream()
                            .allMatch(turn -> turn.perSecond() > 0 && turn.p50Us() > 0 && turn.p99Us() >= turn.p50Us()),
                    result::toString);
        }
    }

    @Test
    void shouldEndWarmUpAtItsBound() {
        GrpcUnary.Plan plan = new GrpcUnary.Plan(1, 1, 5, 64);
        GrpcUnary.Results results = new GrpcUnary(plan, List.of(GrpcContestant.DEFAULT), line -> {}).run();
        assertEquals(1, results.warmUpRounds());
        assertEquals(1, results.all().getFirst().turns().size());
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
    void shouldCompareSharedMemoryWithBothRivals() {
        GrpcReport report = GrpcReport.of(results(
                result(GrpcContestant.SHM, 1, 50_000, 20),
                result(GrpcContestant.DEFAULT, 1, 25_000, 40),
                result(GrpcContestant.UDS, 1, 40_000, 25),
                result(GrpcContestant.SHM, 64, 130_000, 500),
                result(GrpcContestant.DEFAULT, 64, 100_000, 640),
                result(GrpcContestant.UDS, 64, 130_000, 500)));
        assertEquals(
                List.of(
                        Goal.atLeast("shm-1-p50-to-grpc-default", 2, 1.5),
                        Goal.atLeast("shm-64-rate-to-grpc-default", 1.3, 1.3),
                        Goal.atLeast("shm-1-p50-to-grpc-uds", 1.25, 1.5),
                        Goal.atLeast("shm-64-rate-to-grpc-uds", 1, 1.3)),
                report.report().goals());
        assertEquals(
                List.of(true, true, false, false),
                report.report().goals().stream().map(Goal::met).toList());
        List<Row> rows = report.report().rows();
        assertTrue(
                rows.contains(new Row(
                        "grpc",
                        "in-flight-1",
                        "fairlead-shm/grpc-default",
                        RpcPayload.LENGTH,
                        "p50-better",
                        2,
                        "ratio")),
                rows::toString);
        assertTrue(
                rows.contains(new Row("grpc", "in-flight-64", "grpc-uds", RpcPayload.LENGTH, "rate", 130_000, "1/s")),
                rows::toString);
        assertTrue(report.lines().get(2).endsWith("p50 1.25, rate 1.25"), report.lines()::toString);
    }

    @Test
    void shouldCompareWithoutThoseThatAreNotThere() {
        GrpcReport withoutSockets = GrpcReport.of(results(
                result(GrpcContestant.SHM, 1, 50_000, 20),
                result(GrpcContestant.DEFAULT, 1, 25_000, 40),
                result(GrpcContestant.SHM, 64, 130_000, 500),
                result(GrpcContestant.DEFAULT, 64, 100_000, 640)));
        assertEquals(
                List.of("shm-1-p50-to-grpc-default", "shm-64-rate-to-grpc-default"),
                withoutSockets.report().goals().stream().map(Goal::id).toList());
        GrpcReport withoutSharedMemory = GrpcReport.of(
                results(result(GrpcContestant.TCP, 1, 50_000, 20), result(GrpcContestant.DEFAULT, 1, 25_000, 40)));
        assertEquals(List.of(), withoutSharedMemory.report().goals());
    }

    private static GrpcUnary.Results results(GrpcUnary.Result... all) {
        return new GrpcUnary.Results("epoll", 1, List.of(all));
    }

    /** Three turns, of which the middle one has these figures. */
    private static GrpcUnary.Result result(GrpcContestant subject, int inFlight, double perSecond, double p50Us) {
        List<GrpcUnary.Turn> turns = new ArrayList<>();
        for (double factor : new double[] {0.5, 1, 2}) {
            turns.add(new GrpcUnary.Turn(
                    new RpcTurn.Figures(perSecond * factor, p50Us / factor, 3 * p50Us / factor), 10));
        }
        return new GrpcUnary.Result(subject, inFlight, turns);
    }
}
