package io.fairlead.testkit.fault;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.AllocatingTransport;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The decorated transport: registrations may fail, and workers are decorated in turn. */
final class FaultTransport implements AllocatingTransport {
    private final Transport inner;
    private final FaultPlan plan;

    FaultTransport(Transport inner, FaultPlan plan) {
        this.inner = inner;
        this.plan = plan;
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
    public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
        // A transport that declines here is asked to register, and that call is the one that counts.
        RegisteredMemory allocated =
                inner instanceof AllocatingTransport allocating ? allocating.allocate(length, rights) : null;
        if (allocated != null && plan.nextRegistrationFails()) {
            allocated.close();
            throw failure(length);
        }
        return allocated;
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        if (plan.nextRegistrationFails()) {
            throw failure(segment.byteSize());
        }
        return inner.register(regionId, segment, rights);
    }

    private static FairleadException failure(long length) {
        return new FairleadException(
                Reason.REGISTRATION_FAILED,
                "registration failed by the fault plan: length=" + length + " bytes; reset the plan");
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        if (plan.nextWorkerFails()) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED, "worker not made by the fault plan: newWorker; reset the plan");
        }
        return new FaultWorker(inner, host, plan);
    }

    @Override
    public void close() {
        inner.close();
    }
}
