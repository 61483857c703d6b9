package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadConfig;
import io.fairlead.spi.Connection;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.WorkerHost;
import io.fairlead.testkit.internal.RawHost;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Connections that end at each step of the passing of rings and regions leave neither a descriptor nor a mapping. To the
 * other process an end looks the same whether the process closed or was killed: the kernel closes its sockets.
 */
@Timeout(120)
final class PassingEndsTest {
    private static final int ROUNDS = 500;
    private static final int STEPS = 6;
    private static final int SIZE = 4096;

    private final Connection connection = unused(Connection.class);
    private final ShmTransport transport = new ShmTransport(new TransportSetup(FairleadConfig.defaults(), 1));
    private ShmWorker server;
    private ShmWorker client;
    private ShmRegion region;

    private static <T> T unused(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, _) -> {
            throw new IllegalStateException("shared memory does not call it: " + method);
        }));
    }

    @BeforeEach
    void open() {
        server = (ShmWorker) transport.newWorker(unused(WorkerHost.class));
        client = (ShmWorker) transport.newWorker(unused(WorkerHost.class));
        region = Objects.requireNonNull((ShmRegion) transport.allocate(SIZE, EnumSet.allOf(AccessRight.class)));
    }

    @AfterEach
    void close() {
        region.close();
        client.close();
        server.close();
        transport.close();
    }

    @Test
    void shouldLeaveNothingAfterAnyStep() throws IOException {
        // The first round loads classes, whose files stay open.
        for (int step = 0; step < STEPS; step++) {
            end(step, step);
        }
        drain();
        int descriptors = descriptors();
        long mappings = mappings();
        for (int round = 0; round < ROUNDS; round++) {
            for (int step = 0; step < STEPS; step++) {
                end(step, round * STEPS + step);
            }
        }
        drain();
        assertEquals(mappings, mappings());
        // Rings that nobody has asked for wait in the listener or in its socket's queue, where they hold no descriptor.
        int added = descriptors() - descriptors;
        assertTrue(added <= RingListener.PENDING_MAX, () -> "added=" + added + " in " + ROUNDS + " rounds");
    }

    /** Its sides have passed their rings, and neither has asked for the other's. */
    @Test
    void shouldKeepNoRingOfAHandshakeThatHasFailed() {
        end(1, 0);
        int descriptors = descriptors();
        for (int round = 1; round <= RingListener.PENDING_MAX; round++) {
            end(1, round);
            assertEquals(descriptors, descriptors());
        }
    }

    /** Rings whose endpoint never asked for them wait, but not many of them. */
    private void drain() {
        for (int i = 0; i < RingListener.PENDING_MAX; i++) {
            end(0, i);
        }
        // Those that wait now are as many at each call.
        for (int i = 0; i < RingListener.PENDING_MAX; i++) {
            end(1, i);
        }
        byte[] _ = server.address();
        byte[] _ = client.address();
    }

    /** A connection that ends after a step, the listener's side first or the connector's. */
    private void end(int step, int number) {
        int secret = number;
        ShmEndpoint listening =
                (ShmEndpoint) server.connect(new RawHost(1, 2, false, secret), client.address(), connection);
        if (step == 0) {
            listening.close();
            return;
        }
        ShmEndpoint connecting =
                (ShmEndpoint) client.connect(new RawHost(2, 1, true, secret), server.address(), connection);
        if (step > 1) {
            connecting.wireUp(listening.wireUpData());
        }
        if (step > 2) {
            listening.wireUp(connecting.wireUpData());
        }
        if (step > 3) {
            listening.begin();
            connecting.begin();
        }
        if (step > 4) {
            RemoteMemory memory = connecting.unpack(region.key(), new RegionProof(1, 2, 3), SIZE);
            memory.close();
        }
        if (number % 2 == 0) {
            listening.close();
            connecting.close();
        } else {
            connecting.close();
            listening.close();
        }
    }

    private static int descriptors() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    private static long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("memfd:fairlead")).count();
        }
    }
}
