package io.fairlead.security.internal;

import io.fairlead.security.internal.files.Revocations;
import io.fairlead.security.internal.tls.KeysInForce;
import io.fairlead.security.internal.tls.TlsKeys;
import io.fairlead.spi.security.ConnectionSecurity;
import io.fairlead.spi.security.SecureEngine;
import java.time.Duration;

/** Connections with the newest keys. Thread-safe. */
final class ReloadedSecurity implements ConnectionSecurity {
    private final ReloadedKeys<TlsKeys> keys;
    private final Duration connectionAgeMax;

    /** Closes the keys together with itself. */
    ReloadedSecurity(ReloadedKeys<TlsKeys> keys, Duration connectionAgeMax) {
        this.keys = keys;
        this.connectionAgeMax = connectionAgeMax;
    }

    /** Reads the files again if they have changed. */
    void look() {
        keys.look();
    }

    @Override
    public SecureEngine connector(String host, int port) {
        ReloadedKeys.Current<TlsKeys> made = keys.usable();
        return made.keys().connector(host, port, inForce(made));
    }

    @Override
    public SecureEngine listener() {
        ReloadedKeys.Current<TlsKeys> made = keys.usable();
        return made.keys().listener(inForce(made));
    }

    private KeysInForce inForce(ReloadedKeys.Current<TlsKeys> made) {
        return new KeysInForce() {
            @Override
            public boolean areOthers() {
                return !keys.isNewest(made);
            }

            @Override
            public Revocations revocations() {
                return keys.revocations();
            }
        };
    }

    /** The number of key changes. */
    long version() {
        return keys.version();
    }

    @Override
    public Duration connectionAgeMax() {
        return connectionAgeMax;
    }

    @Override
    public void close() {
        keys.close();
    }
}
