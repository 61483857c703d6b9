package io.fairlead.testkit.loopback;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which of several transports with memory of their own allocates a region. */
@Timeout(60)
final class AllocationOrderTest {
    private final List<String> asked = new ArrayList<>();

    @Test
    void shouldAskTheBestOfAClassFirst() {
        assertEquals(List.of("better", "named"), order(PathPolicy.AUTO));
    }

    @Test
    void shouldAskTheTransportThatThePolicyNamesFirst() {
        assertEquals(List.of("named", "better"), order(PathPolicy.named("named")));
    }

    private List<String> order(PathPolicy policy) {
        FairleadConfig config = FairleadConfig.defaults()
                .with(ConfigKeys.TRANSPORTS, "named,better")
                .with(ConfigKeys.POLICY, policy);
        try (Context context = ChosenTransports.with(
                List.of(new Provider("named", 50), new Provider("better", 10)), () -> Context.open(config))) {
            context.allocate(4096, Set.of(AccessRight.READ)).close();
        }
        return asked;
    }

    private final class Provider implements TransportProvider {
        private final String name;
        private final int rank;

        Provider(String name, int rank) {
            this.name = name;
            this.rank = rank;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public int rank() {
            return rank;
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
            return new Allocating(name, LoopbackProvider.available().open(setup));
        }
    }

    /** Loopback, which notes that it was asked and leaves the memory to the core. */
    private final class Allocating implements AllocatingTransport {
        private final String name;
        private final Transport inner;

        Allocating(String name, Transport inner) {
            this.name = name;
            this.inner = inner;
        }

        @Override
        public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
            asked.add(name);
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
