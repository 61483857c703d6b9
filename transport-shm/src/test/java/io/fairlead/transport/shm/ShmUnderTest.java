package io.fairlead.transport.shm;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.util.EnumSet;
import java.util.Set;

/** What the suites have to know about the transport over shared memory. They run once with the reading of other processes, and once without. */
final class ShmUnderTest implements TransportUnderTest {
    private static final boolean CMA = Boolean.parseBoolean(System.getProperty("fairlead.test.shm.cma", "true"));
    /** Independent of the host's processors. Without cma there is no such copy, so that each of both ways has its run. */
    private static final String ONE_COPY = "always";

    private final TransportProvider provider = new ShmProvider();

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

    @Override
    public FairleadConfig configure(FairleadConfig base) {
        return base.with(ShmKeys.CMA, CMA).with(ShmKeys.ONE_COPY, ONE_COPY);
    }

    @Override
    public int endpointPartsMax() {
        return 21;
    }
}
