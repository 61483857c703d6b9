package io.fairlead.discovery.zookeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.PeerSet;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends to a set, so many in flight, and counts how they end: delivered, lost with the member's name, or otherwise. */
final class CountedSends {
    final AtomicInteger delivered = new AtomicInteger();
    final AtomicInteger named = new AtomicInteger();
    private final Queue<Throwable> others = new ConcurrentLinkedQueue<>();
    private final int inFlight;
    private final Semaphore room;

    CountedSends(int inFlight) {
        this.inFlight = inFlight;
        this.room = new Semaphore(inFlight);
    }

    void send(PeerSet set, long id) throws InterruptedException {
        assertTrue(room.tryAcquire(60, TimeUnit.SECONDS), "no send has ended for a minute");
        CompletableFuture<Void> _ = set.sendSynchronous(MemorySegment.ofArray(new long[] {id}), 1)
                .handle((_, failure) -> {
                    if (failure == null) {
                        delivered.incrementAndGet();
                    } else if (failure instanceof FairleadException known
                            && known.reason() == Reason.PEER_LOST
                            && known.getMessage().contains("member=member-")) {
                        named.incrementAndGet();
                    } else {
                        others.add(failure);
                    }
                    room.release();
                    return null;
                });
    }

    void awaitAll() throws InterruptedException {
        assertTrue(room.tryAcquire(inFlight, 60, TimeUnit.SECONDS), "sends have not ended for a minute");
    }

    /** Each has ended in one of the two ways, and no more were lost than were in flight at the changes. */
    void assertAccounted(int sent, int changes) {
        assertEquals(List.of(), List.copyOf(others));
        assertEquals(sent, delivered.get() + named.get());
        assertTrue(named.get() <= changes * inFlight, "lost=" + named);
    }
}
