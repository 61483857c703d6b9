package io.fairlead.testkit.loopback;

import io.fairlead.AccessRight;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.testkit.internal.ForwardingTransport;
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

    private static final class Allocating extends ForwardingTransport {
        private final Runnable asked;

        Allocating(Transport inner, Runnable asked) {
            super(inner);
            this.asked = asked;
        }

        @Override
        public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
            asked.run();
            return null;
        }
    }
}
