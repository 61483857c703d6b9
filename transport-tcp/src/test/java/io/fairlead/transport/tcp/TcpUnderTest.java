package io.fairlead.transport.tcp;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;

/** What the suites have to know about the transport over TCP. */
final class TcpUnderTest implements TransportUnderTest {
    private final TransportProvider provider = new TcpProvider();
    private final UnaryOperator<FairleadConfig> change;

    TcpUnderTest() {
        this(UnaryOperator.identity());
    }

    /** With a configuration of its own. */
    TcpUnderTest(UnaryOperator<FairleadConfig> change) {
        this.change = change;
    }

    @Override
    public FairleadConfig configure(FairleadConfig base) {
        return change.apply(base);
    }

    @Override
    public TransportProvider provider() {
        return provider;
    }

    /** All but ONE_SIDED: puts and gets are served by the target's progress. */
    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Capability.ONE_SIDED, Capability.MAPPED_MEMORY));
    }

    @Override
    public PathClass pathClass() {
        return PathClass.TCP;
    }

    @Override
    public int endpointPartsMax() {
        return 20;
    }
}
