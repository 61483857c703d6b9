package io.fairlead.benchmarks.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.benchmarks.contest.RequestSide;
import io.fairlead.benchmarks.contest.RequestSide.Caller;
import io.fairlead.benchmarks.rpc.RpcCommand.Case;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Turn;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the comparison runs with all contestants, and that it looks at every byte. How fast anybody is, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RpcCommandTest {
    @Test
    void shouldMeasureEveryContestantInEveryCase() throws IOException {
        // Each caller, and each number of requests in flight.
        List<Case> cases = List.of(RpcCommand.CASES.getFirst(), RpcCommand.CASES.getLast());
        Map<Case, Map<String, List<Turn>>> results = RpcCommand.measure(
                        "rpc", RpcContestant.REQUESTS, cases, new Rounds.Plan(2, 1_000_000, 1), _ -> {})
                .turns();
        assertEquals(cases, List.copyOf(results.keySet()));
        for (Map<String, List<Turn>> ofCase : results.values()) {
            assertTrue(
                    ofCase.keySet().containsAll(List.of("node-tcp", "request-tcp", "netty-tcp", "grpc-default")),
                    ofCase::toString);
            for (List<Turn> turns : ofCase.values()) {
                assertEquals(2, turns.size());
                assertTrue(turns.stream().allMatch(turn -> turn.perSecond() > 0 && turn.p50Us() > 0), turns::toString);
            }
        }
    }

    @Test
    void shouldCompareTheRightOnesWithTheGoals() {
        Report report = new Report();
        Map<String, List<Turn>> results = new LinkedHashMap<>();
        results.put("request-shm", List.of(Turn.of(600, 1)));
        results.put("request-tcp", List.of(Turn.of(240, 1)));
        results.put("netty-tcp", List.of(Turn.of(200, 1)));
        results.put("grpc-default", List.of(Turn.of(250, 1)));
        RpcCommand.add(
                new Case(Caller.CALLBACK, RequestSide.SLOTS),
                results,
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
                report);
        assertEquals(
                List.of(
                        "request-shm/netty-tcp 3.0 true",
                        "request-tcp/netty-tcp 1.2 true",
                        "request-shm/grpc-default 2.4 false"),
                report.goals().stream()
                        .map(goal -> goal.id().substring(goal.id().lastIndexOf(' ') + 1) + " " + goal.value() + " "
                                + goal.met())
                        .toList());
    }
}
