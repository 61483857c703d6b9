package io.fairlead.node.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Worker;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class ReceiveTableTest {
    private static final long FULL = Worker.FULL_TAG_MASK;
    private static NodeEngine node;
    private static List<NodePeer> peers;

    private final ReceiveTable table = new ReceiveTable();

    @BeforeAll
    static void start() {
        node = NodeEngine.start(new FakeContext(FairleadConfig.defaults(), 1), null);
        peers = IntStream.range(0, 4)
                .mapToObj(i -> new NodePeer(
                        node,
                        new ProgressLoop(node, node.settings(), i),
                        InetSocketAddress.createUnresolved("peer" + i, 1),
                        PathPolicy.AUTO,
                        ReconnectPolicy.NEVER,
                        _ -> {}))
                .toList();
    }

    @AfterAll
    static void close() {
        node.close();
    }

    /** Random receives, messages and withdrawals, against the plainest of all implementations. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldMatchAsAListWould(long seed) {
        Random random = new Random(seed);
        List<NodeReceive> model = new ArrayList<>();
        List<ReceiveTable.Entry> matched = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            // Waves, so that the table grows and empties.
            boolean filling = step / 1000 % 2 == 0;
            int choice = random.nextInt(10);
            if (choice < (filling ? 6 : 2)) {
                NodePeer peer = random.nextBoolean() ? null : peers.get(random.nextInt(peers.size()));
                long mask = random.nextInt(4) == 0 ? random.nextLong(8) : FULL;
                NodeReceive receive = new NodeReceive(node, peer, random.nextLong(8), mask, 100, null);
                table.insert(table.enter(receive));
                model.add(receive);
            } else if (choice < 9) {
                NodePeer source = peers.get(random.nextInt(peers.size()));
                long tag = random.nextLong(8);
                NodeReceive expected = model.stream()
                        .filter(receive -> receive.accepts(source, tag))
                        .findFirst()
                        .orElse(null);
                ReceiveTable.Entry found = table.match(source, tag);
                if (expected == null) {
                    assertNull(found);
                } else {
                    assertSame(expected, assertNotNullEntry(found).receive);
                    model.remove(expected);
                    matched.add(found);
                }
            } else if (!model.isEmpty()) {
                NodeReceive withdrawn = model.remove(random.nextInt(model.size()));
                if (random.nextBoolean()) {
                    table.remove(withdrawn);
                } else {
                    // Found to be withdrawn only when a message would match it.
                    assertTrue(withdrawn.tryMatch());
                }
            }
        }
        table.removeIf(receive -> !model.contains(receive));
        assertEquals(model.size(), table.size());
        assertEquals(model, table.removeIf(_ -> true));
        assertTrue(table.isEmpty());
    }

    private static ReceiveTable.Entry assertNotNullEntry(ReceiveTable.Entry entry) {
        assertNotNull(entry);
        return entry;
    }

    @Test
    void shouldReturnReceiveToItsPlace() {
        NodeReceive first = new NodeReceive(node, null, 1, FULL, 100, null);
        NodeReceive second = new NodeReceive(node, null, 1, FULL, 100, null);
        NodeReceive third = new NodeReceive(node, null, 1, FULL, 100, null);
        ReceiveTable.Entry place = table.enter(first);
        table.insert(table.enter(second));
        table.insert(table.enter(third));
        table.insert(table.renew(place));
        assertEquals(List.of(first, second, third), table.removeIf(_ -> true));
    }
}
