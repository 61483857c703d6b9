package io.fairlead.security.engine;

import io.fairlead.spi.Availability;
import java.security.GeneralSecurityException;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Provides a TLS library. Found by {@link java.util.ServiceLoader}, and used if {@code security.engine} has its name.
 * Stateless and thread-safe. The library must support TLS 1.3, ALPN and the exporter of RFC 8446.
 */
public interface EngineProvider {
    /**
     * The name for {@code security.engine}.
     *
     * @return 1 to 32 of {@code a-z 0-9 -}; never changes
     */
    String name();

    /**
     * Whether the library is present and works in this process.
     *
     * @return available, or the cause and the remedy
     */
    Availability availability();

    /**
     * Prepares engines with a key and a trust manager.
     *
     * @param keys the keys of this side
     * @param trust checks the peer's certificates, including the name of its host
     * @return the factory of engines with exactly these
     * @throws GeneralSecurityException if the library rejects them
     */
    Engines open(X509ExtendedKeyManager keys, X509ExtendedTrustManager trust) throws GeneralSecurityException;
}
