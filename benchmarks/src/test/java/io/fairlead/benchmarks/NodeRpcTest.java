package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the comparison runs with all contestants, and that it looks at every byte. How fast anybody is, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NodeRpcTest {
    @Test
    void shouldMeasureEveryContestantInEveryCase() {
        List<NodeRpc.Result> results = new NodeRpc(new NodeRpc.Plan(100, 2, 10, 200), line -> {}).run();
        assertEquals(5 * NodeRpc.CASES.size(), results.size());
        for (int i = 0; i < results.size(); i++) {
            NodeRpc.Result result = results.get(i);
            assertEquals(NodeRpc.CASES.get(i / 5), result.of());
            assertEquals(2, result.rounds().size());
            assertTrue(result.all(RpcTurn.Figures::perSecond).stream().allMatch(rate -> rate > 0), result::toString);
            assertTrue(result.all(RpcTurn.Figures::p50Us).stream().allMatch(time -> time > 0), result::toString);
        }
        assertEquals(
                List.of(NodeRpc.NODE_TCP, "request-tcp", NodeRpc.NETTY),
                results.subList(2, 5).stream().map(NodeRpc.Result::subject).toList());
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
