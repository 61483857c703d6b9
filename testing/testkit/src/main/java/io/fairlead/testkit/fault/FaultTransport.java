package io.fairlead.testkit.fault;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import io.fairlead.testkit.internal.ForwardingTransport;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The decorated transport: registrations may fail, and workers are decorated in turn. */
final class FaultTransport extends ForwardingTransport {
    private final FaultPlan plan;

    FaultTransport(Transport inner, FaultPlan plan) {
        super(inner);
        this.plan = plan;
    }

    @Override
    public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
        // A transport that declines here is asked to register, and that call is the one that counts.
        RegisteredMemory allocated = super.allocate(length, rights);
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
        return super.register(regionId, segment, rights);
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
        return new FaultWorker(inner(), host, plan);
    }
}
