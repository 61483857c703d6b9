package io.fairlead.spi.security;

import java.time.Duration;
import javax.net.ssl.SSLEngine;

/**
 * The keys of a context: creates the TLS engines of its connections. Thread-safe. Any method may be called from a
 * worker's thread and returns without waiting for the network or a disk. Expensive work, such as public-key arithmetic,
 * is in the {@linkplain SSLEngine#getDelegatedTask() delegated tasks} of the engines, which the caller runs on other
 * threads.
 *
 * <p>Keys may be replaced at any time. An engine keeps the keys that it was created with, and {@link SecureEngine}
 * reports about these.
 *
 * <p>An engine supports only TLS 1.3, requests the application protocol {@value #PROTOCOL}, and never resumes a
 * session. Both sides present a certificate.
 */
public interface ConnectionSecurity extends AutoCloseable {
    /** The application protocol (ALPN) that both sides must agree on. */
    String PROTOCOL = "fairlead/1";

    /**
     * Creates the engine of a connection that this side opens. It verifies that the peer is the requested host, unless
     * the configuration disables it or a shared secret is the proof.
     *
     * @param host the name or the address to connect to; the peer's certificate must contain it
     * @param port the peer's port
     * @return in client mode, before its handshake
     * @throws io.fairlead.FairleadException {@code CONFIGURATION} if there are no usable keys; {@code CLOSED} after {@link #close()}
     */
    SecureEngine connector(String host, int port);

    /**
     * Creates the engine of a connection that this side has accepted.
     *
     * @return in server mode, before its handshake
     * @throws io.fairlead.FairleadException as {@link #connector}
     */
    SecureEngine listener();

    /**
     * The maximum age of a connection after its {@linkplain SecureEngine#isOutdated() keys have been replaced}.
     *
     * @return zero for no maximum
     */
    Duration connectionAgeMax();

    /** Stops checking for new keys, and creates no more engines. Existing engines keep working. Idempotent. */
    @Override
    void close();
}
