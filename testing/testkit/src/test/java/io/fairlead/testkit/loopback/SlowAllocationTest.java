package io.fairlead.testkit.loopback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.testkit.ChosenTransports;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The kernel takes long to reserve much memory. */
@Timeout(60)
class SlowAllocationTest {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch reserved = new CountDownLatch(1);

    @Test
    void shouldMakeWorkersWhileARegionIsBeingAllocated() throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool();
                Context context = context()) {
            Future<Long> length = threads.submit(() -> allocate(context));
            assertTrue(asked.await(30, TimeUnit.SECONDS));
            // On this thread: a worker that waits for the region would never be made.
            context.newWorker().close();
            reserved.countDown();
            assertEquals(4096L, length.get());
        }
    }

    @Test
    void shouldCloseBehindTheAllocationThatRuns() throws Exception {
        Context context = context();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<Long> length = threads.submit(() -> allocate(context));
            assertTrue(asked.await(30, TimeUnit.SECONDS));
            Future<?> closed = threads.submit(context::close);
            reserved.countDown();
            assertEquals(4096L, length.get());
            closed.get();
        }
        assertThrows(IllegalStateException.class, () -> context.allocate(4096, Set.of(AccessRight.READ)));
    }

    private static long allocate(Context context) {
        return context.allocate(4096, Set.of(AccessRight.READ)).length();
    }

    private Context context() {
        return ChosenTransports.with(
                List.of(new AllocatingLoopback("slow", 0, this::allocateSlowly)),
                () -> Context.open(FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "slow")));
    }

    /** Takes as long as the test wants. */
    private void allocateSlowly() {
        asked.countDown();
        try {
            assertTrue(reserved.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
