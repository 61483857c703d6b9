package io.fairlead.internal.providers;

import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.util.List;

/**
 * Represents a provider that the service loader names and cannot create. It is reported, and the others work.
 *
 * @param name a unique name that no transport has
 * @param error the exception of the service loader
 */
record BrokenProvider(String name, Throwable error) implements TransportProvider {
    @Override
    public Availability availability() {
        String cause = error.getCause() == null ? "" : ", cause: " + error.getCause();
        return Availability.unavailable("its provider cannot be loaded: " + error.getMessage() + cause
                + "; mend or remove the module that names it");
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return List.of();
    }

    @Override
    public List<Diagnosis> diagnose() {
        return List.of(Diagnosis.failure(
                name,
                "a transport's provider cannot be loaded: " + error.getMessage()
                        + (error.getCause() == null ? "" : ", cause: " + error.getCause()),
                "mend or remove the module that names it"));
    }

    @Override
    public Transport open(TransportSetup setup) {
        throw new IllegalStateException("opened though it cannot be loaded: transport=" + name, error);
    }
}
