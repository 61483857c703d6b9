package io.fairlead.discovery.zookeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.PeerSet;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends to a set or asks it, so many in flight, and counts how that ends: delivered, lost with the member's name, or otherwise. */
final class CountedSends {
    /** What the message that is sent is received by. */
    static final long MESSAGE_TAG = 1;
    /** What the service has that is asked. */
    static final long SERVICE_TAG = 2;

    /** How a message goes to a member. */
    enum Call {
        SEND {
            @Override
            CompletableFuture<?> call(PeerSet set, MemorySegment message) {
                return set.sendSynchronous(message, MESSAGE_TAG);
            }

            @Override
            boolean isLoss(Throwable failure) {
                return failure instanceof FairleadException known && known.reason() == Reason.PEER_LOST;
            }
        },
        REQUEST {
            @Override
            CompletableFuture<?> call(PeerSet set, MemorySegment message) {
                return set.request(message, SERVICE_TAG, Duration.ofMinutes(2));
            }

            /** Whatever could be sent again has been. */
            @Override
            boolean isLoss(Throwable failure) {
                return failure instanceof RequestException known
                        && known.status() == RequestStatus.UNAVAILABLE
                        && !known.isSafeToRetry();
            }
        };

        abstract CompletableFuture<?> call(PeerSet set, MemorySegment message);

        abstract boolean isLoss(Throwable failure);
    }

    private final Call call;
    final AtomicInteger delivered = new AtomicInteger();
    final AtomicInteger named = new AtomicInteger();
    private final Queue<Throwable> others = new ConcurrentLinkedQueue<>();
    private final int inFlight;
    private final Semaphore room;

    CountedSends(Call call, int inFlight) {
        this.call = call;
        this.inFlight = inFlight;
        this.room = new Semaphore(inFlight);
    }

    void send(PeerSet set, long id) throws InterruptedException {
        assertTrue(room.tryAcquire(60, TimeUnit.SECONDS), "no send has ended for a minute");
        CompletableFuture<Void> _ = call.call(set, MemorySegment.ofArray(new long[] {id}))
                .handle((_, failure) -> {
                    if (failure == null) {
                        delivered.incrementAndGet();
                    } else if (call.isLoss(failure)
                            && String.valueOf(failure.getMessage()).contains("member=member-")) {
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
