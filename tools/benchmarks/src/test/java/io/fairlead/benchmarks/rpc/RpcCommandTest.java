package io.fairlead.benchmarks.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.benchmarks.rpc.RpcCommand.Case;
import io.fairlead.benchmarks.rpc.RpcTurn.Caller;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Turn;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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
        Map<Case, Map<String, List<Turn>>> results =
                RpcCommand.measure(RpcCommand.CASES, new Rounds.Plan(2, 1_000_000, 1), _ -> true, _ -> {});
        assertEquals(RpcCommand.CASES, List.copyOf(results.keySet()));
        for (Map<String, List<Turn>> ofCase : results.values()) {
            assertEquals(
                    List.of(
                            RpcClients.NODE_TCP,
                            RpcClients.REQUEST_TCP,
                            RpcClients.NETTY,
                            GrpcContestant.DEFAULT.label()),
                    List.copyOf(ofCase.keySet()).subList(2, 6));
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
                new Case(Caller.CALLBACK, RpcClient.SLOTS),
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

    @Test
    void shouldFindEveryWordThatChangedOnTheWay() {
        MemorySegment intact = RpcPayload.reply(RpcPayload.request(7));
        RpcPayload.checkReply(intact, 7);
        for (int i = 0; i < RpcPayload.WORDS; i++) {
            MemorySegment request = RpcPayload.request(7);
            flip(request, i);
            MemorySegment answered = RpcPayload.reply(request);
            assertThrows(IllegalStateException.class, () -> RpcPayload.checkReply(answered, 7), "request, word " + i);

            MemorySegment reply = RpcPayload.reply(RpcPayload.request(7));
            flip(reply, i);
            assertThrows(IllegalStateException.class, () -> RpcPayload.checkReply(reply, 7), "reply, word " + i);
        }
    }

    private static void flip(MemorySegment payload, int index) {
        long offset = (long) index * Long.BYTES;
        payload.set(ValueLayout.JAVA_LONG, offset, payload.get(ValueLayout.JAVA_LONG, offset) ^ 1L << 40);
    }
}
