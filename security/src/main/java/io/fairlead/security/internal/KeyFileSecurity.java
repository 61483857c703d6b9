package io.fairlead.security.internal;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKey;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.engine.EngineProvider;
import io.fairlead.security.internal.files.KeyLoader;
import io.fairlead.security.internal.tls.TlsKeys;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecurityProvider;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Secures connections with certificates or a secret that are in files. */
public final class KeyFileSecurity implements SecurityProvider {
    /** For the service loader. */
    public KeyFileSecurity() {}

    @Override
    public String name() {
        return "key-files";
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return SecurityKeys.all();
    }

    @Override
    public List<Diagnosis> diagnose(FairleadConfig config) {
        return KeyDiagnosis.of(config, System.getenv(), InstantSource.system());
    }

    @Override
    public ConnectionSecurity open(FairleadConfig config) {
        return open(config, InstantSource.system());
    }

    static ReloadedSecurity open(FairleadConfig config, InstantSource clock) {
        KeyLoader loader = new KeyLoader(config, System.getenv(), clock);
        EngineProvider engines = engines(config);
        TlsKeys.HostCheck host = config.value(SecurityKeys.VERIFY_HOST)
                ? TlsKeys.HostCheck.DEMANDED
                : TlsKeys.HostCheck.LEFT_OUT;
        ReloadedSecurity security = ReloadedSecurity.open(
                loader,
                material -> TlsKeys.of(material, engines, host, clock),
                config.value(SecurityKeys.CONNECTION_MAX_AGE));
        security.watch(config.value(SecurityKeys.RELOAD_INTERVAL));
        return security;
    }

    /** What {@code security.engine} names, if it works here. */
    static EngineProvider engines(FairleadConfig config) {
        String wanted = config.value(SecurityKeys.ENGINE);
        List<String> names = new ArrayList<>();
        for (EngineProvider provider : ServiceLoader.load(EngineProvider.class)) {
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
