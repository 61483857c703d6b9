package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Advice;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Message;
import io.fairlead.node.NodeKeys;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a node does with operations for which there is no capacity. */
public class NodeBackPressureContract extends NodeCases {
    private static final int LENGTH = 512;
    /** Longer than any eager message, so that it waits for its receive. */
    private static final int LONG_LENGTH = 1 << 16;

    /** Creates the suite. */
    protected NodeBackPressureContract() {}

    @BeforeEach
    void narrow() {
        configureFewCredits();
        configure(NodeKeys.QUEUE_MAX, 16);
    }

    @Test
    @Semantics("O-150")
    void shouldBoundTheBytesThatWaitForAPeer() {
        configure(NodeKeys.QUEUE_MAX, 4096);
        configure(NodeKeys.QUEUE_BYTES, 1 << 20);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMillis(500));
        Peers slow = connectNodes();
        Peers other = connectNodes();
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        CompletableFuture<Void> last;
        do {
            last = slow.client().send(new byte[LONG_LENGTH], 1);
            sends.add(last);
        } while (!last.isCompletedExceptionally());
        FairleadException failure = failureOf(last);
        assertEquals(Status.BACK_PRESSURE, failure.status().orElseThrow());
        assertEquals(Reason.LIMIT_REACHED, failure.reason());
        assertMentions("node.queue-bytes", failure);
        sends.removeLast();
        assertTrue(sends.size() <= 4, () -> "more bytes wait than a peer may have: sends=" + sends.size());
        // A peer that takes nothing does not use up what the others may have.
        CompletableFuture<Message> received = other.server().receive(1);
        get(other.client().send(new byte[LONG_LENGTH], 1));
        assertEquals(LONG_LENGTH, get(received).length());
        for (int i = 0; i < sends.size(); i++) {
            get(slow.server().receive(1)).close();
        }
        sends.forEach(NodeCases::get);
        received = slow.server().receive(1);
        get(slow.client().send(new byte[LONG_LENGTH], 1));
        get(received).close();
    }

    @Test
    @Semantics("O-150")
    void shouldWaitForBytesUntilTheReceiverTakesMessages() {
        configure(NodeKeys.QUEUE_MAX, 4096);
        configure(NodeKeys.QUEUE_BYTES, 1 << 20);
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        Peers peers = connectNodes();
        int count = 50;
        CompletableFuture<List<CompletableFuture<Void>>> sending = CompletableFuture.supplyAsync(() -> {
            List<CompletableFuture<Void>> sends = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                // One of them is longer than all that may wait, and goes alone.
                sends.add(peers.client().send(new byte[i == 25 ? 3 << 20 : LONG_LENGTH], 1));
            }
            return sends;
        });
        for (int i = 0; i < count; i++) {
            try (Message message = get(peers.server().receive(1))) {
                assertEquals(i == 25 ? 3 << 20 : LONG_LENGTH, message.length());
            }
        }
        get(sending).forEach(NodeCases::get);
    }

    @Test
    @Semantics("O-150")
    void shouldFailAtOnceWithoutRoomForBytesIfConfigured() {
        configure(NodeKeys.QUEUE_MAX, 4096);
        configure(NodeKeys.QUEUE_BYTES, 1 << 20);
        Peers peers = connectNodes();
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        List<CompletableFuture<Void>> more = new ArrayList<>();
        // A callback never waits: it gets the answer that a caller under FAIL gets.
        get(clientNode().workerThread().call(_ -> {
            for (int i = 0; i < 8; i++) {
                (i < 4 ? sends : more).add(peers.client().send(new byte[LONG_LENGTH], 1));
            }
            return true;
        }));
        more.forEach(send ->
                assertEquals(Status.BACK_PRESSURE, failureOf(send).status().orElseThrow()));
        for (int i = 0; i < sends.size(); i++) {
            get(peers.server().receive(1)).close();
        }
        sends.forEach(NodeCases::get);
    }

    @Test
    @Semantics("O-30")
    void shouldWaitUntilReceiverTakesMessages() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        Peers peers = connectNodes();
        int count = 500;
        // Many times what credits and queue hold together, so that the sender's thread blocks on the way.
        CompletableFuture<List<CompletableFuture<Void>>> sending = CompletableFuture.supplyAsync(() -> {
            List<CompletableFuture<Void>> sends = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                sends.add(peers.client().send(new byte[LENGTH + i % 2], 1));
            }
            return sends;
        });
        for (int i = 0; i < count; i++) {
            assertEquals(LENGTH + i % 2, get(peers.server().receive(1)).length());
        }
        get(sending).forEach(NodeCases::get);
    }

    @Test
    @Semantics("O-31")
    void shouldFailWhenThereIsNoRoomInTime() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMillis(500));
        Peers peers = connectNodes();
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        CompletableFuture<Void> last;
        do {
            last = peers.client().send(new byte[LENGTH], 1);
            sends.add(last);
        } while (!last.isCompletedExceptionally());
        FairleadException failure = failureOf(last);
        assertEquals(Status.BACK_PRESSURE, failure.status().orElseThrow());
        assertEquals(Reason.LIMIT_REACHED, failure.reason());
        assertEquals(Advice.RETRY, failure.advice());
        sends.removeLast();
        assertTrue(sends.size() >= 16, () -> "fewer sends than the queue holds: " + sends.size());
        // Nothing was started for the one that failed: the receiver gets the others, and its own threads are as usable
        // as before.
        for (int i = 0; i < sends.size(); i++) {
            get(peers.server().receive(1));
        }
        sends.forEach(NodeCases::get);
        get(peers.client().send(new byte[1], 1));
        assertEquals(1, get(peers.server().receive(1)).length());
    }

    @Test
    @Semantics("O-32")
    void shouldFailAtOnceIfConfigured() {
        configure(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        Peers peers = connectNodes();
        int taken = 0;
        CompletableFuture<Void> send = sendAndSettle(peers);
        while (!send.isCompletedExceptionally()) {
            taken++;
            send = sendAndSettle(peers);
        }
        assertEquals(Status.BACK_PRESSURE, failureOf(send).status().orElseThrow());
        assertTrue(
                taken >= 1 && taken <= config().value(ConfigKeys.CREDIT_BYTES) / LENGTH,
                "sends that fit the credits: " + taken);
        for (int i = 0; i < taken; i++) {
            get(peers.server().receive(1));
        }
        CompletableFuture<Message> none = peers.server().receive(1);
        // Credits come back a while after the receives.
        while (get(peers.client().send(new byte[1], 2).handle((_, failure) -> failure != null))) {
            Thread.onSpinWait();
        }
        get(peers.server().receive(2));
        assertFalse(none.isDone());
    }

    /** Waits for the outcome, because under FAIL an earlier send that is still queued could fail a later one. */
    private static CompletableFuture<Void> sendAndSettle(Peers peers) {
        CompletableFuture<Void> send = peers.client().send(new byte[LENGTH], 1);
        get(send.handle((_, _) -> true));
        return send;
    }

    @Test
    @Semantics("O-33")
    void shouldNotHoldReceivesBehindSends() {
        Peers peers = connectNodes();
        // Both sides send more than fits before either receives: only receives that overtake the sends let them go on.
        int count = 20;
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(peers.client().send(new byte[LENGTH], 1));
            all.add(peers.server().send(new byte[LENGTH], 1));
        }
        for (int i = 0; i < count; i++) {
            all.add(peers.client().receive(1));
            all.add(peers.server().receive(1));
        }
        all.forEach(NodeCases::get);
    }

    @Test
    @Semantics("O-34")
    void shouldNotHoldOtherPeersBehindOneThatDoesNotReceive() {
        Peers slow = connectNodes();
        Peers fast = connectNodes();
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            waiting.add(slow.client().send(new byte[LENGTH], 1));
        }
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Message> received = fast.server().receive(1);
            get(fast.client().send(new byte[LENGTH], 1));
            get(received);
        }
        assertFalse(waiting.getLast().isDone());
        for (int i = 0; i < waiting.size(); i++) {
            get(slow.server().receive(1));
        }
        waiting.forEach(NodeCases::get);
    }

    @Test
    @Semantics("O-35")
    void shouldFailAtOnceOnProgressThread() {
        configure(NodeKeys.WAIT_TIMEOUT, Duration.ofMinutes(10));
        Peers peers = connectNodes();
        CompletableFuture<Message> start = peers.client().receive(9);
        CompletableFuture<Long> sentInCallback = start.thenApply(_ -> {
            List<CompletableFuture<Void>> sends = new ArrayList<>();
            CompletableFuture<Void> last;
            do {
                last = peers.client().send(new byte[LENGTH], 1);
                sends.add(last);
            } while (!last.isCompletedExceptionally());
            try {
                last.join();
            } catch (CompletionException expected) {
                return sends.size() - 1L;
            }
            return 0L;
        });
        get(peers.server().send(new byte[1], 9));
        long taken = get(sentInCallback);
        assertTrue(taken >= 16, () -> "fewer sends than the queue holds: " + taken);
        for (int i = 0; i < taken; i++) {
            get(peers.server().receive(1));
        }
    }

    @Test
    @Semantics("O-36")
    void shouldBoundReceivesThatWait() {
        configure(ConfigKeys.OPERATIONS_MAX, 64);
        configure(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        Peers peers = connectNodes();
        List<CompletableFuture<Message>> receives = new ArrayList<>();
        CompletableFuture<Message> last;
        do {
            last = peers.server().receive(1);
            receives.add(last);
        } while (!last.isCompletedExceptionally());
        assertEquals(Status.BACK_PRESSURE, failureOf(last).status().orElseThrow());
        assertEquals(64, receives.size() - 1);
        assertTrue(receives.getFirst().cancel(false));
        // A withdrawn receive frees a slot for another.
        CompletableFuture<Message> another = peers.server().receive(1);
        assertFalse(another.isCompletedExceptionally());
        get(peers.client().send(new byte[] {1, 0, 0, 0, 0, 0, 0, 0}, 1));
        assertEquals(1, get(receives.get(1)).segment().get(ValueLayout.JAVA_LONG, 0) & 0xFF);
    }

    @Test
    @Semantics("O-76")
    void shouldKeepNothingOfReceivesThatHaveEnded() throws InterruptedException {
        configure(NodeKeys.THREADS, 2);
        Peers peers = connectNodes();
        List<WeakReference<CompletableFuture<?>>> ended = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            CompletableFuture<Message> cancelled = serverNode().receive(100 + (i & 0xFF));
            assertTrue(cancelled.cancel(false));
            ended.add(new WeakReference<>(cancelled));
        }
        for (int i = 0; i < 500; i++) {
            // Of any peer, so that both progress threads have it.
            CompletableFuture<Message> served = serverNode().receive(1);
            CompletableFuture<Message> late = peers.server().receive(2).orTimeout(i % 3, TimeUnit.MILLISECONDS);
            get(peers.client().send(new byte[1], 1));
            get(served);
            get(late.handle((_, _) -> true));
            ended.add(new WeakReference<>(served));
            ended.add(new WeakReference<>(late));
        }
        awaitCollected(ended);
    }

    /** Waits for the collector to take all but a few, which frames of threads may still show. */
    private static void awaitCollected(List<WeakReference<CompletableFuture<?>>> ended) throws InterruptedException {
        long startNs = System.nanoTime();
        for (long kept = Long.MAX_VALUE; kept > 16; ) {
            System.gc();
            kept = ended.stream().filter(reference -> reference.get() != null).count();
            if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(30)) {
                fail("receives that have ended are still reachable: kept=" + kept + " of " + ended.size());
            }
            Thread.sleep(1);
        }
    }
}
