package io.fairlead.testkit.loopback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.AllocatingTransport;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import io.fairlead.testkit.ChosenTransports;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
                List.of(new SlowProvider()),
                () -> Context.open(FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "slow")));
    }

    /** Loopback, whose memory takes as long as the test wants. */
    private final class SlowProvider implements TransportProvider {
        private final TransportProvider inner = LoopbackProvider.available();

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public Availability availability() {
            return Availability.AVAILABLE;
        }

        @Override
        public List<ConfigKey<?>> configKeys() {
            return List.of();
        }

        @Override
        public Transport open(TransportSetup setup) {
            return new Slow(inner.open(setup));
        }
    }

    private final class Slow implements AllocatingTransport {
        private final Transport inner;

        Slow(Transport inner) {
            this.inner = inner;
        }

        @Override
        public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
            asked.countDown();
            try {
                assertTrue(reserved.await(30, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return null;
        }

        @Override
        public Set<Capability> capabilities() {
            return inner.capabilities();
        }

        @Override
        public String version() {
            return inner.version();
        }

        @Override
        public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
            return inner.reach(localAddress, peerVersion, peerAddress);
        }

        @Override
        public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
            return inner.register(regionId, segment, rights);
        }

        @Override
        public TransportWorker newWorker(WorkerHost host) {
            return inner.newWorker(host);
        }

        @Override
        public void close() {
            inner.close();
        }
    }
}
