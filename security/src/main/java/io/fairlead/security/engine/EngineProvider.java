package io.fairlead.security.engine;

import io.fairlead.spi.Availability;
import java.security.GeneralSecurityException;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Makes a TLS library known. Found by {@link java.util.ServiceLoader}, and used where {@code security.engine} has its name. Stateless and
 * thread-safe. What fits has TLS 1.3, ALPN and the exporter of RFC 8446.
 */
public interface EngineProvider {
    /**
     * The name that {@code security.engine} gives.
     *
     * @return 1 to 32 of {@code a-z 0-9 -}; never changes
     */
    String name();

    /**
     * Whether the library is there and works in this process.
     *
     * @return available, or the cause and the remedy
     */
    Availability availability();

    /**
     * Prepares engines with a pair of keys and a judgement of peers.
     *
     * @param keys what this side shows
     * @param trust judges what the peer shows, its host's name included
     * @return makes engines with exactly these
     * @throws GeneralSecurityException if the library refuses them
     */
    Engines open(X509ExtendedKeyManager keys, X509ExtendedTrustManager trust) throws GeneralSecurityException;
}
