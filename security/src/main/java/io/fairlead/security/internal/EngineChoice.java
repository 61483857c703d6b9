package io.fairlead.security.internal;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.engine.EngineProvider;
import io.fairlead.spi.Availability;
import io.fairlead.spi.ServiceLoaders;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Finds the TLS library that {@code security.engine} names. */
final class EngineChoice {
    private EngineChoice() {}

    /**
     * The library, if it works on this host.
     *
     * @throws FairleadException {@code CONFIGURATION} if it does not work, or does not exist
     */
    static EngineProvider of(FairleadConfig config) {
        String wanted = config.value(SecurityKeys.ENGINE);
        List<String> names = new ArrayList<>();
        for (EngineProvider provider :
                ServiceLoaders.all(EngineProvider.class, from -> ServiceLoader.load(EngineProvider.class, from))) {
            if (provider.name().equals(wanted)) {
                Availability availability = provider.availability();
                if (availability.available()) {
                    return provider;
                }
                throw new FairleadException(
                        FairleadException.Reason.CONFIGURATION,
                        SecurityKeys.ENGINE.name() + "=" + wanted + " cannot be used: " + availability.cause());
            }
            names.add(provider.name());
        }
        throw new FairleadException(
                FairleadException.Reason.CONFIGURATION,
                SecurityKeys.ENGINE.name() + "=" + wanted + " is not there: one of "
                        + String.join(", ", names.stream().sorted().toList())
                        + ", or one whose module is on the path");
    }
}
