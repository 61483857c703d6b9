package io.fairlead.transport.ucx;

import io.fairlead.FairleadConfig;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import io.fairlead.testkit.internal.ForwardingProvider;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Gives each context that is opened the next of several devices, so that the two of a case are on different ones. */
final class TwoDevices extends ForwardingProvider {
    private static final List<String> DEVICES =
            List.of(System.getProperty("fairlead.test.ucx.devices", "all").split(",", -1));
    private static final AtomicInteger NEXT = new AtomicInteger();

    private TwoDevices(TransportProvider provider) {
        super(provider);
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
    public Transport open(TransportSetup setup) {
        String device = DEVICES.get(NEXT.getAndIncrement() % DEVICES.size());
        return super.open(new TransportSetup(setup.config().with(UcxKeys.DEVICES, device), setup.incarnation()));
    }
}
