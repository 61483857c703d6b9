package io.fairlead.testkit.loopback;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.AllocatingTransport;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Loopback by another name, which is asked to allocate regions and leaves them to the core.
 *
 * @param rank its place among transports of its class
 * @param asked called inside each request for memory
 */
record AllocatingLoopback(String name, int rank, Runnable asked) implements TransportProvider {
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
        return new Allocating(LoopbackProvider.available().open(setup), asked);
    }

    private record Allocating(Transport inner, Runnable asked) implements AllocatingTransport {
        @Override
        public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
            asked.run();
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
