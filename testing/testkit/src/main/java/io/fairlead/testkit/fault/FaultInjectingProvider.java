package io.fairlead.testkit.fault;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.util.List;
import java.util.Objects;

/**
 * A provider that injects faults between the core and a transport, which stays as it is. It has the transport's name. A test passes it to
 * {@link io.fairlead.testkit.ChosenTransports#with}. Thread-safe.
 */
public final class FaultInjectingProvider implements TransportProvider {
    private final TransportProvider inner;
    private final FaultPlan plan;

    /**
     * Wraps the provider of a transport.
     *
     * @param inner the transport's provider
     * @param plan the faults to inject, which may change at any time
     */
    public FaultInjectingProvider(TransportProvider inner, FaultPlan plan) {
        this.inner = Objects.requireNonNull(inner, "inner");
        this.plan = Objects.requireNonNull(plan, "plan");
    }

    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public Availability availability() {
        return inner.availability();
    }

    @Override
    public Availability availability(FairleadConfig config) {
        return inner.availability(config);
    }

    @Override
    public int rank() {
        return inner.rank();
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return inner.configKeys();
    }

    @Override
    public List<Diagnosis> diagnose() {
        return inner.diagnose();
    }

    @Override
    public Transport open(TransportSetup setup) {
        return new FaultTransport(inner.open(setup), plan);
    }
}
