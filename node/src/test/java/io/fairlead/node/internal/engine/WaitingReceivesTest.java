package io.fairlead.node.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Message;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Peer;
import io.fairlead.node.internal.loop.LoopCall;
import io.fairlead.node.internal.loop.ProgressLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the loops of a node with two progress threads keep of receives that have ended: nothing. */
@Timeout(60)
final class WaitingReceivesTest {
    private static final int LOOPS = 2;

    private final FairleadConfig config = FairleadConfig.defaults()
            .with(ConfigKeys.CLOSE_TIMEOUT, Duration.ofMillis(100))
            .with(NodeKeys.THREADS, LOOPS)
            .with(NodeKeys.BACK_PRESSURE, BackPressure.WAIT);
    private final FakeContext context = new FakeContext(config, LOOPS);
    private final NodeEngine node = NodeEngine.start(context, null);

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void shouldKeepNothingOfCancelledReceives() throws Exception {
        for (int i = 0; i < 100_000; i++) {
            assertTrue(node.receive(i & 0xFF).cancel(false));
        }
        assertNothingWaits();
    }

    @Test
    void shouldKeepNothingOfAPeersCancelledReceives() throws Exception {
        Peer peer = connect();
        for (int i = 0; i < 20_000; i++) {
            assertTrue(peer.receive(1).cancel(false));
        }
        assertNothingWaits();
    }

    @Test
    void shouldKeepNothingOfServedReceives() throws Exception {
        connect();
        connect();
        for (int round = 0; round < 200; round++) {
            List<CompletableFuture<Message>> receives = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                // Half of the messages are there before their receives, on either thread.
                if (i % 2 == 0) {
                    context.workers.get(i / 2 % LOOPS).arrive(1, i);
                }
                receives.add(node.receive(1));
            }
            for (int i = 1; i < 50; i += 2) {
                context.workers.get(i / 2 % LOOPS).arrive(1, i);
            }
            for (CompletableFuture<Message> receive : receives) {
                receive.get();
            }
        }
        assertNothingWaits();
    }

    @Test
    void shouldKeepNothingOfReceivesThatTimedOut() throws Exception {
        List<CompletableFuture<Message>> receives = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            receives.add(node.receive(i).orTimeout(i % 3, TimeUnit.MILLISECONDS));
            receives.add(node.receive(i).completeOnTimeout(null, i % 3, TimeUnit.MILLISECONDS));
        }
        for (CompletableFuture<Message> receive : receives) {
            receive.handle((_, _) -> true).get();
        }
        assertNothingWaits();
    }

    @Test
    void shouldKeepNothingOfReceivesThatTheCallerCompleted() throws Exception {
        List<CompletableFuture<Message>> supplied = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            node.receive(1).complete(null);
            node.receive(2).completeExceptionally(new IllegalStateException("of the application"));
            node.receive(3).obtrudeValue(null);
            node.receive(4).obtrudeException(new IllegalStateException("of the application"));
            supplied.add(node.receive(5).completeAsync(() -> null));
            CompletableFuture<Message> failing = node.receive(6).completeAsync(() -> {
                throw new IllegalStateException("of the application");
            });
            assertThrows(ExecutionException.class, failing::get);
        }
        for (CompletableFuture<Message> receive : supplied) {
            receive.get();
        }
        assertNothingWaits();
    }

    @Test
    void shouldBoundReceivesThoughManyWereCancelled() throws Exception {
        NodeEngine bounded = NodeEngine.start(
                new FakeContext(
                        config.with(ConfigKeys.OPERATIONS_MAX, 64).with(NodeKeys.BACK_PRESSURE, BackPressure.FAIL),
                        LOOPS),
                null);
        try {
            for (int i = 0; i < 1000; i++) {
                assertTrue(bounded.receive(i).cancel(false) || i > 0);
            }
            settle(bounded);
            List<CompletableFuture<Message>> receives = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                receives.add(bounded.receive(i));
            }
            receives.forEach(receive -> assertFalse(receive.isDone()));
            assertTrue(bounded.receive(64).isCompletedExceptionally());
            assertEquals(64 * LOOPS, settle(bounded));
        } finally {
            bounded.close();
        }
    }

    private Peer connect() throws Exception {
        return node.connect(InetSocketAddress.createUnresolved("fake", 1), PathPolicy.AUTO, ReconnectPolicy.NEVER)
                .get();
    }

    private void assertNothingWaits() throws Exception {
        assertEquals(0, settle(node), "receives that have ended and still wait for messages");
    }

    /** How many receives wait in all loops, once those have taken note of everything that was called before. */
    private static int settle(NodeEngine node) throws Exception {
        int waiting = 0;
        // What a loop tells another one, and that one in turn, takes some rounds.
        for (int round = 0; round < 4; round++) {
            waiting = 0;
            for (ProgressLoop loop : node.loops().loops()) {
                LoopCall<Integer> call =
                        new LoopCall<>(on -> node.receives().on(on).waiting());
                while (!loop.enqueue(call, 0)) {
                    Thread.onSpinWait();
                }
                waiting += call.get();
            }
        }
        return waiting;
    }
}
