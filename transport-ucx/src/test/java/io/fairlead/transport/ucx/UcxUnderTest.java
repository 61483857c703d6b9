package io.fairlead.transport.ucx;

import io.fairlead.Capability;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.util.EnumSet;
import java.util.Set;

/** What the suites have to know about the UCX transport over shared memory. */
final class UcxUnderTest implements TransportUnderTest {
    private final TransportProvider provider = new UcxProvider();

    @Override
    public TransportProvider provider() {
        return provider;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public PathClass pathClass() {
        return PathClass.SHARED_MEMORY;
    }
}
