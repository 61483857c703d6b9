package io.fairlead.security.internal;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.engine.EngineProvider;
import io.fairlead.security.internal.files.KeyLoader;
import io.fairlead.security.internal.tls.TlsKeys;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecurityProvider;
import java.time.InstantSource;
import java.util.List;

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
        EngineProvider engines = EngineChoice.of(config);
        TlsKeys.HostCheck host =
                config.value(SecurityKeys.VERIFY_HOST) ? TlsKeys.HostCheck.DEMANDED : TlsKeys.HostCheck.LEFT_OUT;
        ReloadedSecurity security = ReloadedSecurity.open(
                loader,
                material -> TlsKeys.of(material, engines, host, clock),
                config.value(SecurityKeys.CONNECTION_MAX_AGE));
        security.watch(config.value(SecurityKeys.RELOAD_INTERVAL));
        return security;
    }
}
