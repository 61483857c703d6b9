package io.fairlead.security.internal;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKey;
import io.fairlead.security.SecurityKeys;
import io.fairlead.security.engine.EngineProvider;
import io.fairlead.security.internal.files.KeyLoader;
import io.fairlead.security.internal.tls.PeerDemand;
import io.fairlead.security.internal.tls.ServerContext;
import io.fairlead.security.internal.tls.TlsKeys;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecurityProvider;
import io.fairlead.spi.security.ServerKeys;
import java.time.InstantSource;
import java.util.List;
import javax.net.ssl.SSLContext;

/** Secures connections with certificates or a secret from files. */
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
        PeerDemand demand = PeerDemand.of(config);
        ReloadedKeys<TlsKeys> keys =
                ReloadedKeys.open(loader, material -> TlsKeys.of(material, engines, demand, clock));
        keys.watch(config.value(SecurityKeys.RELOAD_INTERVAL));
        return new ReloadedSecurity(keys, config.value(SecurityKeys.CONNECTION_MAX_AGE));
    }

    @Override
    public ServerKeys openServer(FairleadConfig config) {
        return openServer(config, InstantSource.system());
    }

    static ReloadedServerKeys openServer(FairleadConfig config, InstantSource clock) {
        String secret = config.value(SecurityKeys.SHARED_SECRET_FILE);
        if (!secret.isBlank()) {
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION,
                    "a shared secret is no certificate that clients of another protocol can verify: "
                            + SecurityKeys.SHARED_SECRET_FILE.name() + "=" + secret
                            + "; secure connections by certificates, or serve without TLS");
        }
        KeyLoader loader = new KeyLoader(config, System.getenv(), clock);
        ReloadedKeys<SSLContext> keys = ReloadedKeys.open(loader, material -> ServerContext.of(material, clock));
        keys.watch(config.value(SecurityKeys.RELOAD_INTERVAL));
        return new ReloadedServerKeys(keys);
    }
}
