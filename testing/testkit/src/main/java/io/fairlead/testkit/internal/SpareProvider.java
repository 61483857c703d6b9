package io.fairlead.testkit.internal;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.PathClass;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import io.fairlead.testkit.loopback.LoopbackProvider;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/** A second transport, within the process: loopback, which says of itself that it is another kind of path. */
public final class SpareProvider implements TransportProvider {
    public static final String NAME = "spare";

    private final TransportProvider inner = LoopbackProvider.available();
    private final String name;
    private final PathClass pathClass;

    /** One to fall back to, as slow as TCP. */
    public SpareProvider() {
        this(NAME, PathClass.TCP);
    }

    public SpareProvider(String name, PathClass pathClass) {
        this.name = name;
        this.pathClass = pathClass;
    }

    @Override
    public String name() {
        return name;
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
        return new Spare(inner.open(setup), pathClass);
    }

    private record Spare(Transport inner, PathClass pathClass) implements Transport {
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
            Reach reach = inner.reach(localAddress, peerVersion, peerAddress);
            return reach.pathClass() == null
                    ? reach
                    : Reach.by(pathClass, reach.device(), reach.lanes(), reach.reason());
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
