package io.fairlead.testkit.loopback;

import io.fairlead.Capability;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the suites have to know about the loopback transport. */
final class LoopbackUnderTest implements TransportUnderTest {
    private final TransportProvider provider = LoopbackProvider.available();

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
        return PathClass.IN_PROCESS;
    }

    /** Their cases have a peer in a process of its own, all of them. */
    @Override
    public Map<String, String> leftOut() {
        String reason = "loopback connects workers of one process only";
        return Map.of(
                "ProcessContract", reason,
                "FaultRoundsContract", reason,
                "HostLossContract", reason,
                "ActiveMessageContract.shouldAllocateNothingForAMessage", "each of its frames is an object");
    }

    @Override
    public List<String> jvmOptions() {
        return List.of("-D" + LoopbackProvider.PROPERTY + "=true");
    }
}
