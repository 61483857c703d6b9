package io.fairlead.transport.ucx;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Gives each context that is opened the next of several devices, so that the two of a case are on different ones. */
final class TwoDevices implements TransportProvider {
    private static final List<String> DEVICES =
            List.of(System.getProperty("fairlead.test.ucx.devices", "all").split(",", -1));
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final TransportProvider provider;

    private TwoDevices(TransportProvider provider) {
        this.provider = provider;
    }

    /** The provider as it is, unless the run names several devices. */
    static TransportProvider around(TransportProvider provider) {
        return DEVICES.size() > 1 ? new TwoDevices(provider) : provider;
    }

    /** The configuration of a process whose contexts this does not open: all of them on the last of the devices. */
    static FairleadConfig elsewhere(FairleadConfig config) {
        return DEVICES.size() > 1 ? config.with(UcxKeys.DEVICES, DEVICES.getLast()) : config;
    }

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public Availability availability() {
        return provider.availability();
    }

    @Override
    public int rank() {
        return provider.rank();
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return provider.configKeys();
    }

    @Override
    public List<Diagnosis> diagnose() {
        return provider.diagnose();
    }

    @Override
    public Transport open(TransportSetup setup) {
        String device = DEVICES.get(NEXT.getAndIncrement() % DEVICES.size());
        return provider.open(new TransportSetup(setup.config().with(UcxKeys.DEVICES, device), setup.incarnation()));
    }
}
