package io.fairlead.testkit.fault;

import io.fairlead.spi.Connection;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportEndpoint;
import io.fairlead.spi.WorkerHost;
import io.fairlead.testkit.fault.FaultPlan.Setup;
import io.fairlead.testkit.internal.ForwardingWorker;
import java.util.ArrayList;
import java.util.List;

/** The decorated worker: counts calls of progress for the operations that are held back. */
final class FaultWorker extends ForwardingWorker {
    private final FaultPlan plan;
    /** Operations that the transport has ended and the plan holds back, in the order of their end. */
    private final List<FaultOperation> held = new ArrayList<>();

    FaultWorker(Transport transport, WorkerHost host, FaultPlan plan) {
        super(transport.newWorker(host));
        this.plan = plan;
    }

    FaultPlan plan() {
        return plan;
    }

    void hold(FaultOperation operation) {
        held.add(operation);
    }

    /** Lets go of everything that is held of an endpoint. */
    void release(FaultEndpoint endpoint) {
        for (FaultOperation operation : List.copyOf(held)) {
            if (operation.endpoint().equals(endpoint)) {
                held.remove(operation);
                operation.pass();
            }
        }
    }

    @Override
    public TransportEndpoint connect(EndpointHost host, byte[] peerAddress, Connection connection) {
        plan.pass(Setup.CONNECT);
        FaultEndpoint endpoint = new FaultEndpoint(this, host, connection);
        endpoint.attach(super.connect(endpoint, peerAddress, connection));
        return endpoint;
    }

    @Override
    public int progress() {
        if (plan.progressIsBroken()) {
            throw new IllegalStateException("progress broken by the fault plan");
        }
        int events = super.progress();
        for (FaultOperation operation : List.copyOf(held)) {
            if (operation.wait(1) <= 0) {
                held.remove(operation);
                operation.pass();
                events++;
            }
        }
        return events;
    }

    @Override
    public boolean arm() {
        return held.isEmpty() && super.arm();
    }
}
