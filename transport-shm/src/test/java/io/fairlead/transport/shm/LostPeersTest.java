package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Connection;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.WorkerHost;
import io.fairlead.testkit.internal.RawHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an endpoint does once the kernel has marked the futex in its peer's ring; here the test marks it. */
@Timeout(60)
final class LostPeersTest {
    private static final int MARK = 0x4000_0000;
    /** Several turns' worth. */
    private static final int MESSAGES = 200;

    private final Semaphore wakeups = new Semaphore(0);
    private final WorkerHost worker = (WorkerHost) Proxy.newProxyInstance(
            WorkerHost.class.getClassLoader(), new Class<?>[] {WorkerHost.class}, (_, method, _) -> {
                assertEquals("wakeup", method.getName());
                wakeups.release();
                return null;
            });
    private final Connection connection = (Connection) Proxy.newProxyInstance(
            Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (_, method, _) -> {
                throw new IllegalStateException("the control connection is the core's: " + method);
            });

    private final Arena arena = Arena.ofConfined();
    private final ShmTransport here = new ShmTransport(new TransportSetup(FairleadConfig.defaults(), 1));
    private final ShmTransport there = new ShmTransport(new TransportSetup(FairleadConfig.defaults(), 2));
    private final RawHost host = new RawHost(3, 4, false);
    private final RawHost peerHost = new RawHost(4, 3, true);
    private ShmWorker mine;
    private ShmWorker peers;
    private ShmEndpoint end;
    private ShmEndpoint peersEnd;

    @BeforeEach
    void connect() {
        mine = (ShmWorker) here.newWorker(worker);
        peers = (ShmWorker) there.newWorker(worker);
        end = (ShmEndpoint) mine.connect(host, peers.address(), connection);
        peersEnd = (ShmEndpoint) peers.connect(peerHost, mine.address(), connection);
        peersEnd.wireUp(end.wireUpData());
        end.wireUp(peersEnd.wireUpData());
        end.begin();
        peersEnd.begin();
        host.room = arena.allocate(Long.BYTES);
    }

    @AfterEach
    void close() {
        end.close();
        peersEnd.close();
        mine.close();
        peers.close();
        here.close();
        there.close();
        arena.close();
    }

    private int futex() {
        return Ring.MEMORY.get(JAVA_INT, futexAddress());
    }

    /** In the memory that the peer reads. */
    private long futexAddress() {
        return peersEnd.ringAddress() - RingSlots.ringAddress(0) + Ring.FUTEX_AFTER_ENTRY - Ring.ENTRY_ROOM;
    }

    private void markPeer() {
        Ring.MEMORY.set(JAVA_INT, futexAddress(), futex() | MARK);
    }

    @Test
    void shouldReadWhatThePeerHasWrittenBeforeItFails() throws InterruptedException {
        MemorySegment word = arena.allocate(Long.BYTES);
        for (int i = 0; i < MESSAGES; i++) {
            assertTrue(peersEnd.trySend(word, 0, Long.BYTES, i));
        }
        assertTrue(futex() > 0, "the peer's thread holds nothing");
        markPeer();
        // It wakes a worker that waits.
        wakeups.acquire();
        assertTrue(mine.progress() > 0);
        assertEquals(MESSAGES, host.received.size());
        FairleadException failure = Objects.requireNonNull(host.failure, "not failed");
        assertEquals(Reason.PEER_LOST, failure.reason());
        assertTrue(String.valueOf(failure.getMessage()).contains("peer's process is ending: "), failure::getMessage);
        assertNull(peerHost.failure);
    }

    @Test
    void shouldLookNoLongerAtThePeerOfAClosedEndpoint() throws InterruptedException {
        RawHost otherHost = new RawHost(5, 6, false);
        RawHost otherPeerHost = new RawHost(6, 5, true);
        ShmEndpoint other = (ShmEndpoint) mine.connect(otherHost, peers.address(), connection);
        ShmEndpoint otherPeer = (ShmEndpoint) peers.connect(otherPeerHost, mine.address(), connection);
        otherPeer.wireUp(other.wireUpData());
        other.wireUp(otherPeer.wireUpData());
        other.begin();
        end.close();
        markPeer();
        long marked = otherPeer.ringAddress() - peersEnd.ringAddress() + futexAddress();
        Ring.MEMORY.set(JAVA_INT, marked, MARK);
        wakeups.acquire();
        assertEquals(1, mine.progress());
        assertNotNull(otherHost.failure);
        assertNull(host.failure);
        assertEquals(0, wakeups.availablePermits());
        other.close();
        otherPeer.close();
    }

    @Test
    void shouldEndNothingOfAnEndpointThatWasClosedMeanwhile() throws InterruptedException {
        markPeer();
        wakeups.acquire();
        end.close();
        assertEquals(1, mine.progress());
        assertNull(host.failure);
    }
}
