package io.fairlead.benchmarks.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.benchmarks.contest.Rounds;
import io.fairlead.benchmarks.contest.Turn;
import io.fairlead.benchmarks.rpc.RpcComparison.Case;
import io.fairlead.benchmarks.rpc.RpcTurn.Caller;
import io.fairlead.cli.measure.Report;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the comparison runs with all contestants, and that it looks at every byte. How fast anybody is, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RpcComparisonTest {
    @Test
    void shouldMeasureEveryContestantInEveryCase() {
        List<RpcComparison.Result> results =
                new RpcComparison(RpcComparison.Extent.ALL, new Rounds.Plan(2, 1_000_000, 1), line -> {}).run();
        int contestants = results.size() / RpcComparison.CASES.size();
        for (int i = 0; i < results.size(); i++) {
            RpcComparison.Result result = results.get(i);
            assertEquals(RpcComparison.CASES.get(i / contestants), result.of());
            assertEquals(2, result.rounds().size());
            assertTrue(result.all(Turn::perSecond).stream().allMatch(rate -> rate > 0), result::toString);
            assertTrue(result.all(Turn::p50Us).stream().allMatch(time -> time > 0), result::toString);
        }
        List<String> subjects = results.subList(0, contestants).stream()
                .map(RpcComparison.Result::subject)
                .toList();
        assertEquals(
                List.of(
                        RpcComparison.NODE_TCP,
                        RpcComparison.REQUEST_TCP,
                        RpcComparison.NETTY,
                        GrpcContestant.DEFAULT.label()),
                subjects.subList(2, 6));
    }

    @Test
    void shouldCompareTheRightOnesWithTheGoals() {
        Case callbacks = new Case(Caller.CALLBACK, RpcComparison.SLOTS);
        Report report = new Report();
        new RpcReport(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8), report)
                .add(List.of(
                        result("request-shm", callbacks, 600),
                        result("request-tcp", callbacks, 240),
                        result("netty-tcp", callbacks, 200),
                        result("grpc-default", callbacks, 250)));
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

    private static RpcComparison.Result result(String subject, Case one, double perSecond) {
        return new RpcComparison.Result(subject, one, List.of(new Turn(perSecond, 1, 1, 0, 0)));
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
