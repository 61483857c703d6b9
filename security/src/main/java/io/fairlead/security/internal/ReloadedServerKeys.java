package io.fairlead.security.internal;

import io.fairlead.spi.security.ServerKeys;
import javax.net.ssl.SSLContext;

/**
 * A server with the newest keys. Thread-safe.
 *
 * @param keys closed together with this
 */
record ReloadedServerKeys(ReloadedKeys<SSLContext> keys) implements ServerKeys {
    @Override
    public SSLContext context() {
        return keys.usable().keys();
    }

    @Override
    public void close() {
        keys.close();
    }
}
