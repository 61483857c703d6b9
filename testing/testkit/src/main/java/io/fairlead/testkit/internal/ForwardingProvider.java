package io.fairlead.testkit.internal;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.util.List;

/** Passes each call on to another provider. A test's provider extends it and overrides what the test is about. */
public class ForwardingProvider implements TransportProvider {
    private final TransportProvider inner;

    public ForwardingProvider(TransportProvider inner) {
        this.inner = inner;
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
        return inner.open(setup);
    }
}
