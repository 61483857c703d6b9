package io.fairlead.spi.security;

import java.time.Duration;
import javax.net.ssl.SSLEngine;

/**
 * The keys of a context: makes the TLS engines of its connections. Thread-safe; any method may be called from a worker's thread and returns without
 * waiting for the network or a disk. What takes long, such as arithmetic with public keys, is in the
 * {@linkplain SSLEngine#getDelegatedTask() delegated tasks} of the engines, which the caller runs elsewhere.
 *
 * <p>Keys may be replaced at any time. An engine keeps those that it was made with, and {@link SecureEngine} answers for these.
 *
 * <p>An engine does TLS 1.3 and nothing older, asks for the application protocol {@value #PROTOCOL}, resumes no earlier connection, and both
 * sides show a certificate.
 */
public interface ConnectionSecurity extends AutoCloseable {
    /** The application protocol (ALPN) that both sides have to agree on. */
    String PROTOCOL = "fairlead/1";

    /**
     * Makes the engine of a connection that this side opens. It verifies that the peer is the host that it was to be, unless the configuration
     * says otherwise or a shared secret is the proof.
     *
     * @param host the name or the address that the caller asked for; it is looked for in the peer's certificate
     * @param port the peer's port
     * @return in client mode, before its handshake
     * @throws io.fairlead.FairleadException {@code CONFIGURATION} if there are no usable keys; {@code CLOSED} after {@link #close()}
     */
    SecureEngine connector(String host, int port);

    /**
     * Makes the engine of a connection that this side has accepted.
     *
     * @return in server mode, before its handshake
     * @throws io.fairlead.FairleadException as {@link #connector}
     */
    SecureEngine listener();

    /**
     * How old a connection may get whose {@linkplain SecureEngine#isOutdated() keys have been replaced} since it was made.
     *
     * @return zero: such a connection never ends for that
     */
    Duration connectionAgeMax();

    /** Stops looking for new keys, and makes no more engines. Those that were made before go on. May be called again. */
    @Override
    void close();
}
