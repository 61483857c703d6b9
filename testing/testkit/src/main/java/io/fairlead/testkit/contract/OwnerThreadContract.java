package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.Listener;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** The thread that owns a worker: no other may use the worker, and every other may wake it. */
public class OwnerThreadContract extends TransportContract {
    /** The longest liveness timeout: a waiting worker wakes by itself after an eighth of it, later than {@link #DEADLINE_S}. */
    private static final Duration LONG = Duration.ofMinutes(10);

    /** The deadline of cases in which a wait must end by something else than its own timer. */
    private static final int DEADLINE_S = 60;

    /** More than a ring or the buffers of a socket take, and fewer than need credits. */
    private static final int MESSAGES = 200;

    private static final Duration WAITED = Duration.ofSeconds(1);
    /** UCX lets a worker wait only after some turns, more of them on a loaded host; a worker that does not wait makes ten times as many. */
    private static final int WAITS_MAX = 10_000;

    /** Creates the suite. */
    protected OwnerThreadContract() {}

    @Test
    @Semantics("L-24")
    void shouldRefuseWorkerToOtherThreads() throws InterruptedException {
        Pair pair = connect();
        Worker worker = pair.client().worker();
        MemorySegment buffer = buffer(8);
        Recorder recorder = pair.client().recorder();
        InetSocketAddress address = listener().address();
        assertWrongThread(worker::progress);
        assertWrongThread(() -> worker.await(0));
        assertWrongThread(
                () -> worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE));
        assertWrongThread(() -> worker.connect(address, EndpointHandler.NONE));
        assertWrongThread(() -> worker.receive(buffer, 0, 8, 1, 1, recorder, 0));
        assertWrongThread(() -> worker.probe(1, 1, worker.newMessageInfo()));
        assertWrongThread(() -> worker.claim(1, 1, worker.newMessageInfo()));
        assertWrongThread(() -> worker.cancel(1));
        assertWrongThread(worker::isInsideProgress);
        assertWrongThread(() -> worker.attach(() -> 0));
        assertWrongThread(() -> worker.detach(() -> 0));
        assertWrongThread(worker::close);
        assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
    }

    @Test
    @Semantics("L-25")
    void shouldRefuseEndpointToOtherThreads() throws InterruptedException {
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        MemorySegment buffer = buffer(8);
        MemorySegment[] buffers = {buffer};
        Recorder recorder = pair.client().recorder();
        byte[] packed = server().context()
                .allocate(64, EnumSet.allOf(AccessRight.class))
                .packedKey();
        RemoteKey key = endpoint.unpack(packed);
        assertWrongThread(() -> endpoint.send(buffer, 0, 8, 1, recorder, 0));
        assertWrongThread(() -> endpoint.sendGather(buffers, 1, recorder));
        assertWrongThread(() -> endpoint.sendSynchronous(buffer, 0, 8, 1, recorder, 0));
        assertWrongThread(() -> endpoint.receive(buffer, 0, 8, 1, 1, recorder, 0));
        assertWrongThread(() -> endpoint.put(buffer, 0, 8, key, 0, recorder, 0));
        assertWrongThread(() -> endpoint.get(buffer, 0, 8, key, 0, recorder, 0));
        assertWrongThread(() -> endpoint.flush(recorder));
        assertWrongThread(endpoint::fence);
        assertWrongThread(() -> endpoint.unpack(packed));
        assertWrongThread(endpoint::close);
        assertWrongThread(endpoint::abort);
        progressUntilIdle();
        assertEquals(0, recorder.count());
        assertEquals(EndpointState.CONNECTED, endpoint.state());
    }

    @Test
    @Semantics("L-26")
    void shouldRefuseListenerToOtherThreads() throws InterruptedException {
        Listener listener = listener();
        assertWrongThread(listener::close);
        connect();
    }

    @Test
    @Semantics("L-29")
    @Timeout(DEADLINE_S)
    void shouldEndWaitByWakeup() throws InterruptedException {
        configure(ConfigKeys.LIVENESS_TIMEOUT, LONG);
        Worker worker = client().worker();
        progressUntilIdle();
        CountDownLatch awake = new CountDownLatch(1);
        Thread waker = Thread.ofPlatform().start(() -> {
            // Again and again, because one that comes before the wait might be used up by an early return.
            while (awake.getCount() > 0) {
                worker.wakeup();
                Thread.onSpinWait();
            }
        });
        try {
            worker.await(LONG.toNanos());
        } finally {
            awake.countDown();
            waker.join();
        }
    }

    @Test
    @Semantics("L-30")
    @Timeout(DEADLINE_S)
    void shouldRememberWakeupForTheNextWait() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, LONG);
        Worker worker = client().worker();
        progressUntilIdle();
        worker.wakeup();
        worker.await(LONG.toNanos());
    }

    @Test
    @Semantics("L-30")
    @Timeout(DEADLINE_S)
    void shouldRememberWakeupOverProgress() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, LONG);
        Worker worker = client().worker();
        progressUntilIdle();
        worker.wakeup();
        progressUntilIdle();
        worker.await(LONG.toNanos());
    }

    @Test
    @Semantics("L-42")
    @Timeout(DEADLINE_S)
    void shouldProgressUntilAConditionIsTrueOrTheTimeIsOver() throws InterruptedException {
        configure(ConfigKeys.LIVENESS_TIMEOUT, LONG);
        Worker worker = client().worker();
        assertTrue(worker.progressUntil(() -> true, Duration.ZERO));
        assertFalse(worker.progressUntil(() -> false, Duration.ZERO));
        long startNs = System.nanoTime();
        assertFalse(worker.progressUntil(() -> false, Duration.ofMillis(20)));
        assertTrue(System.nanoTime() - startNs >= 20_000_000, "it ended before its time");
        assertThrows(IllegalArgumentException.class, () -> worker.progressUntil(() -> true, Duration.ofNanos(-1)));
        AtomicBoolean told = new AtomicBoolean();
        Thread teller = Thread.startVirtualThread(() -> {
            told.set(true);
            worker.wakeup();
        });
        assertTrue(worker.progressUntil(told::get, LONG));
        teller.join();
    }

    @Test
    @Semantics("L-38")
    @Timeout(DEADLINE_S)
    void shouldWaitThoughItsThreadWasInterruptedBefore() {
        requires(Capability.BLOCKING_WAIT);
        configure(ConfigKeys.LIVENESS_TIMEOUT, LONG);
        Worker worker = client().worker();
        progressUntilIdle();
        Thread.currentThread().interrupt();
        long startNs = System.nanoTime();
        for (int i = 0; i < 10; i++) {
            worker.await(50_000_000);
        }
        long waitedNs = System.nanoTime() - startNs;
        assertTrue(Thread.interrupted(), "the interrupt is lost");
        // Something else may have ended one of them or another.
        assertTrue(waitedNs > 200_000_000, () -> "waited " + waitedNs + " ns");
    }

    @Test
    @Semantics("L-31")
    void shouldRefuseNegativeWait() {
        Worker worker = client().worker();
        assertThrows(IllegalArgumentException.class, () -> worker.await(-1));
        assertDoesNotThrow(() -> worker.await(0));
    }

    @Test
    @Semantics("L-32")
    @Timeout(DEADLINE_S)
    void shouldEndWaitWhenAMessageArrives() {
        requires(Capability.BLOCKING_WAIT);
        configure(ConfigKeys.LIVENESS_TIMEOUT, LONG);
        PeerThread peer = newPeerThread("waiter");
        End client = connect(peer);
        MemorySegment target = buffer(8);
        CompletableFuture<Status> received = peer.submit(side -> {
            long id = side.receive(target, 3, Worker.FULL_TAG_MASK);
            while (!side.recorder().has(id)) {
                if (side.progress() == 0) {
                    side.worker().await(LONG.toNanos());
                }
            }
            return side.recorder().outcome(id).status();
        });
        // Once it waits there is no timer left in it that could end the wait before this case's own deadline.
        progressUntil(() -> isWaiting(peer.thread()), "the peer to wait");
        client.send(pattern(8, 3), 3);
        progressUntil(received::isDone, "the waiting peer to receive");
        assertEquals(Status.OK, received.join());
        Pattern.verify(target, 0, 8, 3);
    }

    private static boolean isWaiting(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("select")
                        || frame.getMethodName().equals("epollWait"));
    }

    @Test
    @Semantics("L-39")
    @Timeout(DEADLINE_S)
    void shouldWaitForRoomAndNotSpin() {
        requires(Capability.BLOCKING_WAIT);
        configure(ConfigKeys.LIVENESS_TIMEOUT, LONG);
        PeerThread peer = newPeerThread("stalled");
        End client = connect(peer);
        peer.stall();
        MemorySegment message = pattern(1024, 1);
        for (int i = 0; i < MESSAGES; i++) {
            long id = client.endpoint().send(message, 0, message.byteSize(), 1, client.recorder(), 0);
            if (id < 0) {
                break;
            }
            client.posted(id);
        }
        progressUntilIdle();
        long until = System.nanoTime() + WAITED.toNanos();
        int waits = 0;
        for (long left = WAITED.toNanos(); left > 0; left = until - System.nanoTime()) {
            if (progress() == 0) {
                waits++;
                client.worker().await(left);
            }
        }
        assertTrue(waits < WAITS_MAX, "waits that ended at once: " + waits + " waits in " + WAITED);
        peer.goOn();
        while (client.recorder().outstanding() > 0) {
            if (progress() == 0) {
                client.worker().await(LONG.toNanos());
            }
        }
    }

    private static void assertWrongThread(Executable call) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread other = Thread.ofPlatform().name("not-the-owner").start(() -> {
            try {
                call.execute();
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        other.join();
        Throwable seen = thrown.get();
        assertTrue(seen instanceof WrongThreadException, () -> "expected a WrongThreadException, not " + seen);
    }
}
