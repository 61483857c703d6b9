package io.fairlead.transport.tcp;

import io.fairlead.Capability;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.util.EnumSet;
import java.util.Set;

/** What the suites have to know about the transport over TCP. */
final class TcpUnderTest implements TransportUnderTest {
    private final TransportProvider provider = new TcpProvider();

    @Override
    public TransportProvider provider() {
        return provider;
    }

    /** All but ONE_SIDED: puts and gets are served by the target's progress. */
    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Capability.ONE_SIDED));
    }

    @Override
    public PathClass pathClass() {
        return PathClass.TCP;
    }
}
