package io.fairlead.transport.ucx;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.TransportUnderTest;
import io.fairlead.testkit.internal.AskedProvider;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** What the suites have to know about the UCX transport. They run once for each set of lanes that the build names. */
final class UcxUnderTest implements TransportUnderTest {
    private static final String LANES = "fairlead.test.ucx.lanes";
    private static final String ONE_SIDED = "fairlead.test.ucx.one-sided";

    /** What UCX's queues in shared memory cannot do. */
    static final Map<String, String> LEFT_OUT_WITHIN_A_HOST;

    static {
        String reason = "a process that is killed while it writes to UCX's queue blocks it for all others";
        LEFT_OUT_WITHIN_A_HOST = Map.of(
                "FaultRoundsContract",
                reason,
                "ProcessContract.shouldKeepOtherPeersWhenProcessesAreKilledWhileTheySend",
                reason);
    }

    private final TransportProvider provider = new AskedProvider(TwoDevices.around(new UcxProvider()));
    private final String lanes = System.getProperty(LANES, "posix,sysv,cma,self");
    private final boolean rdma = lanes.startsWith("rc");
    private final boolean tcp = lanes.equals("tcp");
    private final boolean oneSided = Boolean.parseBoolean(System.getProperty(ONE_SIDED, "true"));

    @Override
    public TransportProvider provider() {
        return provider;
    }

    /** As UCX names them. */
    String lanes() {
        return lanes;
    }

    /** Where UCX reaches no memory by itself, puts and gets are served by the target's progress. */
    @Override
    public Set<Capability> capabilities() {
        return rdma || (oneSided && !tcp)
                ? EnumSet.complementOf(EnumSet.of(Capability.MAPPED_MEMORY))
                : EnumSet.complementOf(EnumSet.of(Capability.MAPPED_MEMORY, Capability.ONE_SIDED));
    }

    @Override
    public PathClass pathClass() {
        return rdma ? PathClass.RDMA : tcp ? PathClass.TCP : PathClass.SHARED_MEMORY;
    }

    @Override
    public Map<String, String> leftOut() {
        return rdma ? RdmaExclusions.CASES : tcp ? Map.of() : LEFT_OUT_WITHIN_A_HOST;
    }

    @Override
    public FairleadConfig configure(FairleadConfig base) {
        FairleadConfig config = TwoDevices.elsewhere(base)
                .with(UcxKeys.TLS, tcp ? "self" : lanes)
                .with(UcxKeys.ONE_SIDED, oneSided);
        return tcp ? config.with(UcxKeys.TCP, true) : config;
    }

    @Override
    public boolean leavesLanes() {
        return true;
    }

    /** With TLS and served memory, which takes a requester and a responder. */
    @Override
    public int endpointPartsMax() {
        return 47;
    }
}
